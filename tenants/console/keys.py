"""Keys of widgets and of programs. A secret is shown once, in the answer that made it."""

from uuid import UUID

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tenants import access
from tenants.console import pages, rows
from tenants.console.forms import ApiKeyForm, WidgetKeyForm
from tenants.errors import DeskError
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission
from tenants.selectors import teams
from tenants.services import keys as services


@member_required(Permission.KEYS)
@require_safe
def widget_keys(request: MemberRequest) -> HttpResponse:
    slug = request.tenant.slug
    return pages.table(
        request,
        active="keys",
        title=_("Widget keys"),
        lede=_("A widget key is public: it lets a website show your widget, and nothing more."),
        actions=[_add_one("tenants:add-widget-key", slug)],
        columns=pages.columns(_("Name"), _("Key"), _("Websites"), _("State")),
        rows=rows.widget_keys(slug, teams.widget_keys()),
        empty={"title": _("No key yet"), "text": _("Add one to show the widget on a website.")},
    )


@member_required(Permission.KEYS)
@require_http_methods(["GET", "POST"])
def add_widget_key(request: MemberRequest) -> HttpResponse:
    form = WidgetKeyForm(request.POST or None)
    del form.fields["active"]
    if form.is_valid():
        try:
            key, secret = services.create_widget_key(by=request.member, **form.cleaned_data)
        except DeskError as error:
            form.refuse(error)
        else:
            return _secret(request, secret, key.key)
    return _widget_key_form(request, form, _("Add a widget key"), _("Add the key"))


@member_required(Permission.KEYS)
@require_http_methods(["GET", "POST"])
def widget_key(request: MemberRequest, key_id: UUID) -> HttpResponse:
    key = access.widget_key_by_id(key_id)
    form = WidgetKeyForm(request.POST or None, initial=rows.widget_key_values(key))
    if form.is_valid():
        try:
            services.change_widget_key(key, by=request.member, **form.cleaned_data)
        except DeskError as error:
            form.refuse(error)
        else:
            return pages.done(request, _("The key was changed."), "tenants:widget-keys")
    return _widget_key_form(request, form, key.label, _("Save"))


@member_required(Permission.KEYS)
@require_POST
def rotate_secret(request: MemberRequest, key_id: UUID) -> HttpResponse:
    key = access.widget_key_by_id(key_id)
    return _secret(request, services.rotate_identity_secret(key, by=request.member), key.key)


@member_required(Permission.KEYS)
@require_safe
def api_keys(request: MemberRequest) -> HttpResponse:
    slug = request.tenant.slug
    return pages.table(
        request,
        active="keys",
        title=_("API keys"),
        lede=_("A program with a key acts for the teammate who made it, with the same rights."),
        actions=[_add_one("tenants:add-api-key", slug)],
        columns=pages.columns(_("Name"), _("Starts with"), _("Acts for"), _("Last used")),
        rows=rows.api_keys(slug, teams.api_keys()),
        empty={"title": _("No key yet"), "text": _("Add one to let a program use the API.")},
    )


@member_required(Permission.KEYS)
@require_http_methods(["GET", "POST"])
def add_api_key(request: MemberRequest) -> HttpResponse:
    form = ApiKeyForm(request.POST or None)
    if form.is_valid():
        _key, token = services.create_api_key(request.member, **form.cleaned_data)
        return pages.secret_page(
            request,
            token,
            active="keys",
            title=_("API key made"),
            text=_("Copy the key now; it is not shown again."),
            actions=[_back(request, "tenants:api-keys")],
        )
    return pages.form_page(
        request,
        form,
        active="keys",
        title=_("Add an API key"),
        submit_label=_("Make the key"),
        cancel_url=reverse("tenants:api-keys", args=[request.tenant.slug]),
    )


@member_required(Permission.KEYS)
@require_POST
def revoke_api_key(request: MemberRequest, key_id: UUID) -> HttpResponse:
    services.revoke_api_key(access.api_key_by_id(key_id), by=request.member)
    return pages.done(request, _("The key was revoked; it opens nothing now."), "tenants:api-keys")


def _add_one(page: str, slug: str) -> dict[str, str]:
    url = reverse(page, args=[slug])
    return {"label": str(_("Add a key")), "url": url, "tone": "primary", "icon": "plus"}


def _widget_key_form(
    request: MemberRequest, form: WidgetKeyForm, title: str, submit: str
) -> HttpResponse:
    return pages.form_page(
        request,
        form,
        active="keys",
        title=title,
        submit_label=submit,
        cancel_url=reverse("tenants:widget-keys", args=[request.tenant.slug]),
    )


def _secret(request: MemberRequest, secret: str, key: str) -> HttpResponse:
    return pages.secret_page(
        request,
        secret,
        active="keys",
        title=_("Identity secret"),
        text=_(
            "Your server signs customers' identities with this. Copy it now; it is not shown again."
        ),
        facts=[{"label": _("Widget key"), "cell": pages.cell(key, kind="code")}],
        actions=[_back(request, "tenants:widget-keys")],
    )


def _back(request: MemberRequest, url_name: str) -> pages.Context:
    return {"label": _("Back to the keys"), "url": reverse(url_name, args=[request.tenant.slug])}
