"""The staff back office: platform operators see tenants and accounts, and no tenant's content."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from unfold.admin import ModelAdmin
from unfold.sites import UnfoldAdminSite
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminSelectWidget
from unfold.widgets import UnfoldAdminTextInputWidget as TextWidget

from tenants.gates.staff import is_operator, staff_required, visiting
from tenants.models import Tenant, User, VisitReason
from tenants.selectors.audit import platform_acts
from tenants.services import audit
from tenants.services.staff import open_visit


class StaffSite(UnfoldAdminSite):  # type: ignore[misc]
    """Django's admin behind our own sign-in, with a policy of its own."""

    site_title = site_header = "Turnstone staff"
    index_title = "Platform"
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        return is_operator(request)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:  # noqa: FBT001, FBT002 - Django's
        return staff_required(super().admin_view(view, cacheable))

    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponseBase:
        """Never a second login form: the desk's own is throttled."""
        return staff_required(lambda _: redirect("admin:index"))(request)

    def extra_urls(self) -> list[URLPattern]:
        return [path("acts/", self.admin_view(self.acts), name="acts")]

    def acts(self, request: HttpRequest) -> HttpResponse:
        """Sign-ins and acts of staff, newest first; they can be read and nothing else."""
        context = {**self.each_context(request), "title": "Acts", "acts": platform_acts()}
        return TemplateResponse(request, "staff/acts.html", context)


site = StaffSite(name="admin")


class _Recorded(ModelAdmin):  # type: ignore[misc]
    """What staff change is recorded by the names of fields; nothing is deleted here."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_operator(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_operator(request)

    has_change_permission = has_view_permission
    has_add_permission = has_module_permission

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: FBT001 - Django's
        super().save_model(request, obj, form, change)
        verb = "changed" if change else "created"
        detail = {"fields": sorted(form.changed_data)}
        name = obj._meta.model_name
        audit.record_for_platform(f"{name}.{verb}", by=request.user, target=obj, detail=detail)  # type: ignore[arg-type]

    def log_addition(self, *args: Any) -> None:
        """Our record is the one; Django's would keep names."""

    log_change = log_deletions = log_addition


class VisitForm(forms.Form):
    """Why somebody of the platform deals with a tenant."""

    reason = forms.ChoiceField(choices=VisitReason.choices, widget=UnfoldAdminSelectWidget)
    case = forms.RegexField(
        r"^[A-Z0-9-]{1,40}$",
        label="Case number",
        help_text="Capital letters, digits and hyphens; no names.",
        widget=TextWidget,
    )
    minutes = forms.IntegerField(
        min_value=5, max_value=240, initial=60, widget=UnfoldAdminIntegerFieldWidget
    )


class TenantAdmin(_Recorded):
    """Organisations: their name, state and limits."""

    list_display = ("slug", "name", "status", "created_at")
    list_filter = ("status",)
    search_fields = ("slug", "name")
    fields = ("slug", "name", "status", "max_running_turns", "approval_limit", "erasure_wait_hours")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """What was deleted stays deleted."""
        if obj is not None and obj.status == Tenant.Status.ENDED:
            return self.fields
        return ("slug",) if obj else ()

    def formfield_for_choice_field(
        self, db_field: Any, request: HttpRequest, **options: Any
    ) -> Any:
        """Nobody ends a tenant by a choice in a form: its owners order it."""
        if db_field.name == "status":
            ended = Tenant.Status.ENDED
            options["choices"] = [one for one in Tenant.Status.choices if one[0] != ended]
        return super().formfield_for_choice_field(db_field, request, **options)

    def get_urls(self) -> list[URLPattern]:
        visit = site.admin_view(self.visit)
        urls: list[URLPattern] = super().get_urls()
        return [path("<uuid:tenant_id>/visit/", visit, name="tenants_tenant_visit"), *urls]

    def visit(self, request: HttpRequest, tenant_id: Any) -> HttpResponse:
        tenant = self.get_object(request, str(tenant_id))
        if tenant is None:
            raise Http404
        form = VisitForm(request.POST or None)
        if form.is_valid():
            with visiting(tenant):
                open_visit(tenant, by=request.user, **form.cleaned_data)  # type: ignore[arg-type]
            self.message_user(request, "You may read. The tenant sees it and can end it.")
            return redirect(reverse("conversations_staff:conversations", args=[tenant.slug]))
        context = {**site.each_context(request), "title": f"Visit {tenant}", "form": form}
        return TemplateResponse(request, "staff/visit.html", context | {"tenant": tenant})


class UserAdmin(_Recorded):
    """Accounts of people who sign in; which teams they are in is not shown here.

    Accounts are made by invitations and by commands, so that nobody here knows a password.
    """

    list_display = ("email", "name", "is_active", "is_staff", "last_login")
    list_filter = ("is_active", "is_staff")
    search_fields = ("email", "name")
    fields = ("email", "name", "is_active", "is_staff")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


site.register(Tenant, TenantAdmin)
site.register(User, UserAdmin)
