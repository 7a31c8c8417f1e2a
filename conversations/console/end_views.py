"""The end of a workspace: closed, and in a second step deleted. For owners."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from conversations.models import TenantEnd
from conversations.selectors.ends import current_end
from conversations.services import tenant_end
from tenants.console import pages
from tenants.console.forms import DeskForm
from tenants.console.pages import Context
from tenants.errors import DeskError
from tenants.gates.members import MemberRequest, member_required
from tenants.models import Tenant
from tenants.permissions import Permission
from tenants.services.step_up import confirm_password

_CLOSING = lazy(
    "Nobody writes any more; owners and officers read and export. You can open it again."
)
_ORDERING = lazy("With its address typed and your password. You can take it back until it begins.")
_WAITING = lazy("Nothing is deleted yet. A legal hold puts the deletion off.")
_DELETING = lazy("Customers, conversations, knowledge, teammates: in batches. Nobody can undo it.")
_CERTIFYING = lazy("The platform's operator hands it to you: you cannot sign in any more.")


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
        notice=_notice(request.tenant, row),
        actions=_acts(request.tenant, row),
        facts=_facts(request.tenant, row),
        sections=[{"title": _("How a workspace ends"), "path": _path(request.tenant, row)}],
        refresh_seconds=5 if row and row.state == TenantEnd.State.RUNNING else 0,
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
        submit_label=_("Close this workspace"),
        said=_("Closed. Nothing was deleted, and you can open it again."),
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
            "In {days} days everything is deleted: customers, conversations, knowledge, teammates."
            " Until then you can take it back. Export what you must keep before."
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
    form.fields["slug"].help_text = _("It is: %(slug)s") % {"slug": request.tenant.slug}
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
        return [act("take-back-end", _("Take the order back"), method="post", tone="primary")]
    if tenant.status == Tenant.Status.CLOSED:
        return [
            act("reopen-tenant", _("Open it again"), method="post", tone="primary"),
            act("order-end", _("Delete this workspace"), tone="error"),
        ]
    return [act("close-tenant", _("Close this workspace"), tone="error")]


def _facts(tenant: Tenant, row: TenantEnd | None) -> list[dict[str, Any]]:
    facts = [{"label": _("State"), "cell": pages.cell(tenant.get_status_display(), kind="badge")}]
    if row is not None:
        begins = pages.cell(row.begins_at, kind="time")
        facts += [
            {"label": _("Deletion"), "cell": pages.cell(row.get_state_display(), kind="badge")},
            {"label": _("Begins"), "cell": begins},
            {"label": _("Deleted so far"), "cell": _progress(row)},
        ]
    return facts


def _progress(row: TenantEnd) -> Context:
    return pages.cell(f"{row.percent} %", kind="progress", done=row.percent, total=100)


def _path(tenant: Tenant, row: TenantEnd | None) -> list[Context]:
    """The steps with what each does, so that nobody has to try it out."""
    closed = tenant.status == Tenant.Status.CLOSED
    running = row is not None and row.state == TenantEnd.State.RUNNING
    days = tenant.end_wait_days
    wait = ngettext("%(n)d day", "%(n)d days", days) % {"n": days}
    steps = [
        (_("Close"), _CLOSING, closed),
        (_("Order the deletion"), _ORDERING, row is not None),
        (_("Wait %(days)s") % {"days": wait}, _WAITING, running),
        (_("Everything is deleted"), _DELETING, False),
        (_("Certificate"), _CERTIFYING, False),
    ]
    path: list[Context] = [
        {"label": label, "hint": hint, "state": "done" if done else "next"}
        for label, hint, done in steps
    ]
    if now := next((step for step in path if closed and step["state"] == "next"), None):
        now["state"] = "now"
    return path


def _notice(tenant: Tenant, row: TenantEnd | None) -> Context | None:
    if row is not None and row.state == TenantEnd.State.RUNNING:
        return {"tone": "error", "text": _("The deletion has begun and cannot be taken back.")}
    export = {
        "label": _("Export the whole workspace"),
        "url": reverse("conversations:privacy-exports", args=[tenant.slug]),
    }
    if row is not None:
        text = _("The deletion begins on %(day)s. Until then nothing is gone.")
        told = text % {"day": pages.moment(row.begins_at)}
        return {"tone": "warning", "text": told, "link": export}
    if tenant.status == Tenant.Status.CLOSED:
        text = _("This workspace is closed. Before you delete it, keep a copy:")
        return {"tone": "info", "text": text, "link": export}
    return None
