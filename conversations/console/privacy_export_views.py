"""The privacy desk's exports: asked for, watched, fetched once after the password."""

from collections.abc import Iterable
from uuid import UUID

from django import forms
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
    require_safe,
)

from conversations.access import customer_for_member, export_for_member
from conversations.console import privacy_export_rows as rows
from conversations.console import privacy_pages
from conversations.console.privacy_due import Due
from conversations.gates import files
from conversations.models import ExportRequest
from conversations.selectors.exports import exports, files_of, waiting_exports
from conversations.services import exports as services
from tenants.console.forms import DeskForm
from tenants.console.pages import Context, attempt, columns, number
from tenants.errors import DeskError, Gone
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission
from tenants.selectors.audit import last_acts, names_of
from tenants.services.step_up import confirm_password


class AskExportForm(DeskForm):
    """What goes along."""

    notes = forms.BooleanField(
        label=lazy("With the private notes of the team about this customer"),
        required=False,
        help_text=lazy("Names of teammates are masked in any case."),
    )


class PasswordForm(DeskForm):
    """Who sits here, once more."""

    password = forms.CharField(
        label=lazy("Your password"),
        max_length=128,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        help_text=lazy("You get a link that works once, for you alone."),
    )


@member_required(Permission.PRIVACY)
@require_safe
def privacy_exports(request: MemberRequest) -> HttpResponse:
    slug = request.tenant.slug
    return privacy_pages.table(
        request,
        privacy_pages.EXPORTS,
        title=_("Exports"),
        lede=_("Copies of personal data. Each is encrypted, and deleted after 72 hours."),
        actions=[
            _choose_customer(slug),
            {
                "label": _("Export the whole workspace"),
                "url": reverse("conversations:ask-tenant-export", args=[slug]),
                "method": "post",
                "confirm": _("Make a copy of all data of this workspace? Keys never go along."),
            },
        ],
        columns=columns(_("Of"), _("State"), number(_("Rows")), _("Asked"), _("Until")),
        rows=[rows.one(slug, export) for export in exports(limit=200)],
        empty={
            "title": _("No exports yet"),
            "text": _("Open a customer to export what the desk holds about them."),
            "action": _choose_customer(slug),
        },
    )


@member_required(Permission.PRIVACY)
@require_http_methods(["GET", "POST"])
def ask_export(request: MemberRequest, customer_id: UUID) -> HttpResponse:
    customer = customer_for_member(request.member, customer_id)
    form = AskExportForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        by = services.Asker.member(request.member)
        export = services.ask(customer, by=by, notes=form.cleaned_data["notes"])
        return redirect("conversations:privacy-export", request.tenant.slug, export.id)
    return privacy_pages.form_page(
        request,
        privacy_pages.EXPORTS,
        form,
        title=_("Export the data of {name}").format(name=customer.name or _("a visitor")),
        lede=_("JSON Lines for programs, a page for people, and a list of all files with hashes."),
        submit_label=_("Make the copy"),
        cancel_url=reverse("conversations:customer", args=[request.tenant.slug, customer.id]),
    )


@member_required(Permission.PRIVACY)
@require_POST
def ask_tenant_export(request: MemberRequest) -> HttpResponse:
    export = services.ask_for_tenant(by=services.Asker.member(request.member))
    return redirect("conversations:privacy-export", request.tenant.slug, export.id)


@member_required(Permission.PRIVACY)
@require_safe
def privacy_export(request: MemberRequest, export_id: UUID) -> HttpResponse:
    return _shown(request, export_for_member(request.member, export_id))


def _shown(
    request: MemberRequest,
    export: ExportRequest,
    *,
    notice: Context | None = None,
    begins: bool = False,
) -> HttpResponse:
    """The export's page, with what has just happened to it."""
    slug = request.tenant.slug
    fetched = last_acts("export.fetched", about=export.id)
    asked = last_acts("export.asked", about=export.id)
    return privacy_pages.detail(
        request,
        privacy_pages.EXPORTS,
        title=_("Export"),
        lede=rows.name(export),
        notice=notice or rows.notice(export),
        actions=rows.acts(slug, export),
        facts=rows.facts(export, asked, names_of(asked)),
        sections=[
            # While one begins, nobody can tell yet whether it arrives.
            *([] if begins else [rows.downloads(export, fetched, names_of(fetched))]),
            *([rows.contents(files_of(export))] if export.can_be_fetched else []),
        ],
        refresh_seconds=2 if rows.moves(export) else 0,
    )


@member_required(Permission.PRIVACY)
@require_http_methods(["GET", "POST"])
def fetch_export(request: MemberRequest, export_id: UUID) -> HttpResponse:
    export = export_for_member(request.member, export_id)
    form = PasswordForm(request.POST or None)
    if form.is_valid():
        try:
            confirm_password(request.user, password=form.cleaned_data["password"])
            token = services.make_link(export, by=request.member)
        except DeskError as error:
            form.refuse(error)
        else:
            return _begun(request, export, token)
    return privacy_pages.form_page(
        request,
        privacy_pages.EXPORTS,
        form,
        title=_("Download this export"),
        lede=_("This file holds personal data. Give your password once more."),
        submit_label=_("Download"),
        cancel_url=rows.url("privacy-export", request.tenant.slug, export),
    )


def _begun(request: MemberRequest, export: ExportRequest, token: str) -> HttpResponse:
    """Says what happens while the browser fetches the file, which leaves this page standing."""
    address = reverse("conversations:export-file", args=[request.tenant.slug, export.id, token])
    export.refresh_from_db(fields=["link_hash"])
    notice = rows.begun(export, address, request.member.name)
    answer = _shown(request, export, notice=notice, begins=True)
    answer["Refresh"] = f"0; url={address}"
    answer["Cache-Control"] = "no-store"
    return answer


@member_required(Permission.PRIVACY)
@require_GET
def export_file(request: MemberRequest, export_id: UUID, token: str) -> HttpResponseBase:
    export = export_for_member(request.member, export_id)
    try:
        fetched = services.fetch_by_link(token, export, by=request.member)
    except Gone as error:
        return _refused(request, export, error)
    return files.export_file(fetched)


def _refused(request: MemberRequest, export: ExportRequest, error: Gone) -> HttpResponse:
    found = last_acts("export.fetched", about=export.id)
    last = found[0] if found else None
    answer = _shown(request, export, notice=rows.refused_link(export, last, names_of(found)))
    answer.status_code = error.status
    return answer


@member_required(Permission.PRIVACY)
@require_POST
def withdraw_export(request: MemberRequest, export_id: UUID) -> HttpResponse:
    export = export_for_member(request.member, export_id)
    return attempt(
        request,
        lambda: services.withdraw(export, by=request.member),
        _("Ended. What was copied is deleted."),
        "conversations:privacy-exports",
    )


def due_exports(request: MemberRequest) -> Iterable[Due]:
    """For the desk's first page: what is being made, and what waits to be fetched."""
    return [rows.due(request.tenant.slug, export) for export in waiting_exports()]


def _choose_customer(slug: str) -> Context:
    url = reverse("conversations:customers", args=[slug])
    return {"label": _("Choose a customer"), "url": url, "tone": "primary"}
