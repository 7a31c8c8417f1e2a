"""Requests of erasure: the list, each with state, clock, steps and evidence, and what is to do."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from conversations.access import (
    customer_for_privacy,
    erasure_for_member,
    redaction_target_for_member,
)
from conversations.console import privacy_erasure_rows as rows
from conversations.console import privacy_pages
from conversations.console.privacy_due import Due
from conversations.console.privacy_erasure_forms import BY_MAIL, EraseForm, RefuseForm, TargetForm
from conversations.models import Customer, ErasureRequest
from conversations.selectors import erasures as found
from conversations.services import erasure_requests as services
from conversations.services import notices
from tenants.console import pages
from tenants.errors import DeskError
from tenants.gates.members import MemberRequest, member_required
from tenants.gates.reading import read_is_recorded
from tenants.permissions import Permission
from tenants.services.step_up import confirm_password

_TAB = privacy_pages.REQUESTS


@member_required(Permission.PRIVACY)
@require_safe
def privacy_requests(request: MemberRequest) -> HttpResponse:
    return privacy_pages.table(
        request,
        _TAB,
        title=_("Requests to be erased"),
        lede=_("Open a conversation and choose “Erase this customer” beside it to begin one."),
        actions=[rows.link(_("Systems that are told"), "privacy-targets", request.tenant.slug)],
        columns=pages.columns(_("Asked"), _("By"), _("State"), _("Due"), _("Rows")),
        rows=[rows.one(request.tenant.slug, row) for row in found.erasures(limit=200)],
        empty={
            "title": _("Nobody has asked"),
            "text": _("What customers ask for in the chat or by e-mail appears here."),
        },
    )


@member_required(Permission.PRIVACY)
@require_safe
@read_is_recorded
def privacy_request(request: MemberRequest, erasure_id: UUID) -> HttpResponse:
    row = erasure_for_member(request.member, erasure_id)
    return privacy_pages.detail(
        request,
        _TAB,
        title=_("Request to be erased"),
        lede=row.get_state_display(),
        actions=rows.actions(request.tenant.slug, row, request.member),
        notice=rows.notice(row),
        facts=rows.facts(request.tenant.slug, row),
        sections=rows.sections(row, found.notices_of(row)),
        refresh_seconds=2 if rows.moves(row) else 0,
    )


@member_required(Permission.PRIVACY)
@require_http_methods(["GET", "POST"])
def erase_customer(request: MemberRequest, customer_id: UUID) -> HttpResponse:
    customer = customer_for_privacy(request.member, customer_id)
    form = EraseForm(request.POST or None)
    if form.is_valid():
        row = _asked(request, form, customer)
        if row:
            return redirect("conversations:privacy-request", request.tenant.slug, row.id)
    counts = services.preview(customer)
    return privacy_pages.form_page(
        request,
        _TAB,
        form,
        title=_("Erase this customer"),
        lede=rows.whom_and_what(customer, counts),
        submit_label=_("Erase for good"),
        danger=True,
    )


@member_required(Permission.PRIVACY)
@require_POST
def approve_erasure(request: MemberRequest, erasure_id: UUID) -> HttpResponse:
    return _act(request, erasure_id, services.approve, _("Agreed. The erasure goes on."))


@member_required(Permission.PRIVACY)
@require_POST
def run_erasure_again(request: MemberRequest, erasure_id: UUID) -> HttpResponse:
    return _act(request, erasure_id, services.run_again, _("The erasure goes on."))


@member_required(Permission.PRIVACY)
@require_http_methods(["GET", "POST"])
def refuse_erasure(request: MemberRequest, erasure_id: UUID) -> HttpResponse:
    row = erasure_for_member(request.member, erasure_id)
    form = RefuseForm(request.POST or None)
    if form.is_valid():
        ground = form.cleaned_data["ground"]

        def refuse(one: ErasureRequest, *, by: Any) -> ErasureRequest:
            return services.refuse(one, by=by, ground=ground)

        return _act(request, row.id, refuse, _("Noted. Tell the person why."))
    return privacy_pages.form_page(
        request,
        _TAB,
        form,
        title=_("Do not carry it out"),
        lede=_("The ground stays on the record. The person has a right to learn it."),
        submit_label=_("Do not erase"),
        danger=True,
    )


@member_required(Permission.PRIVACY)
@require_safe
def privacy_targets(request: MemberRequest) -> HttpResponse:
    slug = request.tenant.slug
    return privacy_pages.table(
        request,
        _TAB,
        title=_("Systems that are told"),
        lede=_("Each gets a signed message when somebody is erased, so that it forgets them too."),
        actions=[rows.link(_("Add a system"), "add-privacy-target", slug, tone="primary")],
        columns=pages.columns(_("Name"), _("Address")),
        rows=[rows.target(slug, one) for one in found.targets()],
        empty={"title": _("None"), "text": _("Add those that have copies of your customers.")},
    )


@member_required(Permission.PRIVACY)
@require_http_methods(["GET", "POST"])
def add_privacy_target(request: MemberRequest) -> HttpResponse:
    form = TargetForm(request.POST or None)
    if form.is_valid():
        try:
            _target, secret = notices.add_target(**form.cleaned_data, by=request.member)
        except DeskError as error:
            form.refuse(error)
        else:
            return pages.secret_page(
                request,
                secret,
                active="privacy",
                title=_("The system is added"),
                text=_("Its messages are signed with this secret. It is shown only now."),
            )
    return privacy_pages.form_page(
        request, _TAB, form, title=_("Add a system"), submit_label=_("Add")
    )


@member_required(Permission.PRIVACY)
@require_POST
def remove_privacy_target(request: MemberRequest, target_id: UUID) -> HttpResponse:
    target = redaction_target_for_member(request.member, target_id)
    notices.remove_target(target, by=request.member)
    return pages.done(request, _("Removed."), "conversations:privacy-targets")


def due_erasures(request: MemberRequest) -> list[Due]:
    """For the desk's first page: what is not at its end, by its day."""
    return [rows.due(request.tenant.slug, row) for row in found.open_erasures()]


def _asked(request: MemberRequest, form: EraseForm, customer: Customer) -> ErasureRequest | None:
    given = form.cleaned_data
    try:
        confirm_password(request.user, password=given["password"])
        if given["verification"] == BY_MAIL:
            return services.ask_by_mail(customer, by=request.member, reason=given["reason"])
        return services.ask_by_member(
            customer, by=request.member, reason=given["reason"], confirm=given["confirm"]
        )
    except DeskError as error:
        form.refuse(error)
        return None


def _act(
    request: MemberRequest, erasure_id: UUID, act: Callable[..., ErasureRequest], text: str
) -> HttpResponse:
    row = erasure_for_member(request.member, erasure_id)
    try:
        act(row, by=request.member)
    except DeskError as error:
        messages.error(request, error.detail)
    else:
        messages.success(request, text)
    return redirect("conversations:privacy-request", request.tenant.slug, row.id)
