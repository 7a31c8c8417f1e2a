"""The end of a workspace: closed, and in a second step deleted. For owners."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from conversations.models import TenantEnd
from conversations.selectors.ends import current_end
from conversations.services import tenant_end
from tenants.console import pages
from tenants.console.forms import DeskForm
from tenants.errors import DeskError
from tenants.gates.members import MemberRequest, member_required
from tenants.models import Tenant
from tenants.permissions import Permission
from tenants.services.step_up import confirm_password


class EndForm(DeskForm):
    """The workspace's address, typed, and the password."""

    slug = forms.CharField(
        label=lazy("Type the address of this workspace"),
        max_length=50,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "dir": "ltr"}),
    )
    password = forms.CharField(
        label=lazy("Your password"),
        max_length=128,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


@member_required(Permission.OWNERS)
@require_safe
def end(request: MemberRequest) -> HttpResponse:
    row = current_end()
    return pages.detail(
        request,
        active="settings",
        title=_("End of this workspace"),
        lede=_("Two steps: close it, which you can undo. Then delete it, which nobody can."),
        notice=_notice(row),
        actions=_acts(request.tenant, row),
        facts=_facts(request.tenant, row),
    )


@member_required(Permission.OWNERS)
@require_http_methods(["GET", "POST"])
def close_tenant(request: MemberRequest) -> HttpResponse:
    def act(slug: str) -> None:
        tenant_end.close(request.tenant, slug=slug, by=request.member)

    return _confirmed(
        request,
        act,
        title=_("Close this workspace"),
        lede=_(
            "The chat, the AI agent and all programs are refused at once. Owners and privacy"
            " officers can read and export. You can open it again."
        ),
        submit_label=_("Close it"),
        said=_("Closed. Nothing was deleted."),
    )


@member_required(Permission.OWNERS)
@require_http_methods(["GET", "POST"])
def order_end(request: MemberRequest) -> HttpResponse:
    def act(slug: str) -> None:
        tenant_end.order(request.tenant, slug=slug, by=request.member)

    days = request.tenant.end_wait_days
    return _confirmed(
        request,
        act,
        title=_("Delete this workspace"),
        lede=_(
            "In {days} days everything is deleted: customers, conversations, knowledge, members."
            " Until then you can take it back. Export what you must keep first."
        ).format(days=days),
        submit_label=_("Order the deletion"),
        said=_("Ordered. You can take it back until it begins."),
    )


@member_required(Permission.OWNERS)
@require_POST
def take_back_end(request: MemberRequest) -> HttpResponse:
    row = current_end()
    if row is None:
        return redirect("conversations:end", request.tenant.slug)
    text = _("Taken back. Nothing was deleted; the workspace stays closed.")
    return pages.attempt(
        request,
        lambda: tenant_end.take_back(row, by=request.member),
        text,
        "conversations:end",
    )


@member_required(Permission.OWNERS)
@require_POST
def reopen_tenant(request: MemberRequest) -> HttpResponse:
    return pages.attempt(
        request,
        lambda: tenant_end.reopen(request.tenant, by=request.member),
        _("Open again."),
        "conversations:end",
    )


def _confirmed(request: MemberRequest, act: Any, *, said: str, **context: Any) -> HttpResponse:
    form = EndForm(request.POST or None)
    if form.is_valid():
        try:
            confirm_password(request.user, password=form.cleaned_data["password"])
            act(form.cleaned_data["slug"])
        except DeskError as error:
            form.refuse(error)
        else:
            messages.success(request, said)
            return redirect("conversations:end", request.tenant.slug)
    cancel = reverse("conversations:end", args=[request.tenant.slug])
    context |= {"active": "settings", "danger": True, "cancel_url": cancel}
    return pages.form_page(request, form, **context)


def _acts(tenant: Tenant, row: TenantEnd | None) -> list[dict[str, Any]]:
    def act(name: str, label: Any, **more: Any) -> dict[str, Any]:
        return {"label": label, "url": reverse(f"conversations:{name}", args=[tenant.slug]), **more}

    if row is not None and row.state == TenantEnd.State.RUNNING:
        return []
    if row is not None:
        return [act("take-back-end", _("Take it back"), method="post", tone="primary")]
    if tenant.status == Tenant.Status.CLOSED:
        return [
            act("reopen-tenant", _("Open it again"), method="post", tone="primary"),
            act("order-end", _("Delete everything"), tone="error"),
        ]
    return [act("close-tenant", _("Close this workspace"), tone="error")]


def _facts(tenant: Tenant, row: TenantEnd | None) -> list[dict[str, Any]]:
    facts = [{"label": _("State"), "cell": pages.cell(tenant.get_status_display(), kind="badge")}]
    if row is not None:
        begins = pages.cell(row.begins_at, kind="time")
        facts += [
            {"label": _("Deletion"), "cell": pages.cell(row.get_state_display(), kind="badge")},
            {"label": _("Begins"), "cell": begins},
            {"label": _("Deleted so far"), "cell": pages.cell(f"{row.percent} %")},
        ]
    return facts


def _notice(row: TenantEnd | None) -> dict[str, Any] | None:
    if row is None:
        return None
    if row.state == TenantEnd.State.RUNNING:
        return {"tone": "warning", "text": _("The deletion has begun and cannot be taken back.")}
    return {"tone": "warning", "text": _("The deletion is ordered. Until it begins, nothing is"
                                         " gone.")}  # fmt: skip
