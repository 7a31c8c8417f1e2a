"""The privacy desk's exports: asked for, watched, fetched once after the password."""

from collections.abc import Iterable
from typing import Any
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
from conversations.console import privacy_pages
from conversations.console.privacy_due import Due
from conversations.gates import files
from conversations.models import ExportRequest
from conversations.selectors.exports import exports, waiting_exports
from conversations.services import exports as services
from conversations.services.exporting import progress_of
from tenants.console.forms import DeskForm
from tenants.console.pages import Context, attempt, cell, columns, row
from tenants.errors import DeskError
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission
from tenants.services.step_up import confirm_password

_TONES = {
    ExportRequest.State.READY: "success",
    ExportRequest.State.FAILED: "error",
    ExportRequest.State.ENDED: "plain",
}


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
        lede=_("Copies of personal data. Each is encrypted and deleted after 72 hours."),
        actions=[
            {
                "label": _("Export everything"),
                "url": reverse("conversations:ask-tenant-export", args=[slug]),
                "method": "post",
                "confirm": _("Make a copy of all data of this workspace? Keys never go along."),
            }
        ],
        columns=columns(_("Of"), _("State"), _("Rows"), _("Asked"), _("Until")),
        rows=[_row(slug, export) for export in exports(limit=200)],
        empty={
            "title": _("No exports yet"),
            "text": _("Open a customer to export what the desk holds about them."),
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
    export = export_for_member(request.member, export_id)
    return privacy_pages.detail(
        request,
        privacy_pages.EXPORTS,
        title=_name(export),
        notice=_notice(export),
        actions=_acts(request.tenant.slug, export),
        facts=_facts(export),
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
            return redirect("conversations:export-file", request.tenant.slug, export.id, token)
    return privacy_pages.form_page(
        request,
        privacy_pages.EXPORTS,
        form,
        title=_("Download this export"),
        lede=_("This file holds personal data. Give your password once more."),
        submit_label=_("Download"),
        cancel_url=reverse("conversations:privacy-export", args=[request.tenant.slug, export.id]),
    )


@member_required(Permission.PRIVACY)
@require_GET
def export_file(request: MemberRequest, export_id: UUID, token: str) -> HttpResponseBase:
    export = export_for_member(request.member, export_id)
    return files.export_file(services.fetch_by_link(token, export, by=request.member))


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
    for export in waiting_exports():
        yield Due(
            at=export.expires_at or export.created_at,
            what=_("Export"),
            state=_state(export),
            url=_url("privacy-export", request.tenant.slug, export),
            tone=_TONES.get(ExportRequest.State(export.state), "info"),
        )


def _row(slug: str, export: ExportRequest) -> Context:
    return row(
        [
            cell(_name(export), url=_url("privacy-export", slug, export)),
            cell(_state(export), kind="badge", tone=_tone(export)),
            cell(export.done, kind="number"),
            cell(export.created_at, kind="time"),
            cell(export.expires_at, kind="time"),
        ]
    )


def _facts(export: ExportRequest) -> list[dict[str, Any]]:
    facts = {
        _("State"): cell(_state(export), kind="badge", tone=_tone(export)),
        _("Asked by"): cell(export.get_by_kind_display()),
        _("Asked"): cell(export.created_at, kind="time"),
        _("Private notes"): cell(_("With them") if export.notes else _("Without them")),
        _("Rows"): cell(export.done, kind="number"),
        _("Bytes"): cell(export.size, kind="number"),
        _("Deleted after"): cell(export.expires_at, kind="time"),
        _("Last downloaded"): cell(export.fetched_at, kind="time"),
        _("SHA-256 of the manifest"): cell(export.manifest_sha256 or "–", kind="code"),
    }
    return [{"label": label, "cell": value} for label, value in facts.items()]


def _acts(slug: str, export: ExportRequest) -> list[dict[str, Any]]:
    acts = []
    if export.can_be_fetched:
        acts.append(
            {
                "label": _("Download"),
                "url": _url("fetch-export", slug, export),
                "tone": "primary",
            }
        )
    if export.state not in (ExportRequest.State.ENDED, ExportRequest.State.FAILED):
        acts.append(
            {
                "label": _("Delete now"),
                "url": _url("withdraw-export", slug, export),
                "method": "post",
                "confirm": _("Delete this copy? Nobody can fetch it any more."),
            }
        )
    return acts


def _notice(export: ExportRequest) -> dict[str, str] | None:
    if export.state == ExportRequest.State.FAILED:
        text = _("This copy could not be made and nothing of it was kept. Ask for a new one.")
        return {"tone": "error", "text": text}
    if export.state in (ExportRequest.State.QUEUED, ExportRequest.State.BUILDING):
        return {"tone": "info", "text": _("It is being made. Load this page again in a minute.")}
    return None


def _state(export: ExportRequest) -> str:
    if export.state == ExportRequest.State.BUILDING:
        return f"{export.get_state_display()} · {progress_of(export)} %"
    return export.get_state_display()


def _tone(export: ExportRequest) -> str:
    return _TONES.get(ExportRequest.State(export.state), "info")


def _name(export: ExportRequest) -> str:
    if export.kind == ExportRequest.Kind.TENANT:
        return _("Everything")
    return (export.customer and export.customer.name) or _("A visitor")


def _url(name: str, slug: str, export: ExportRequest) -> str:
    return reverse(f"conversations:{name}", args=[slug, export.id])
