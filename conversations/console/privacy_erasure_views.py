"""Requests of erasure: the list, each with state, clock, steps and evidence, and what is to do."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from conversations.access import (
    customer_for_privacy,
    erasure_for_member,
    redaction_target_for_member,
)
from conversations.console import privacy_erasure_evidence as evidence
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
    slug, asked = request.tenant.slug, found.erasures(limit=200)
    people = found.subjects_of(asked)
    return privacy_pages.table(
        request,
        _TAB,
        title=_("Requests to be erased"),
        lede=_(
            "To begin one for somebody who called or wrote, open the customer and choose Erase."
        ),
        actions=[
            rows.link(_("Systems that are told"), "privacy-targets", slug),
            _choose_customer(slug),
        ],
        columns=pages.columns(
            _("Who"), _("Asked"), _("State"), _("Due"), pages.number(_("Rows erased"))
        ),
        rows=[rows.one(slug, row, people.get(row.id)) for row in asked],
        empty={
            "title": _("Nobody has asked to be erased"),
            "text": _("What customers ask for in the chat or by e-mail appears here."),
            "action": _choose_customer(slug),
        },
    )


def _choose_customer(slug: str) -> pages.Context:
    return rows.link(_("Choose a customer"), "customers", slug, tone="primary")


@member_required(Permission.PRIVACY)
@require_safe
@read_is_recorded
def privacy_request(request: MemberRequest, erasure_id: UUID) -> HttpResponse:
    row, slug = erasure_for_member(request.member, erasure_id), request.tenant.slug
    person = found.subjects_of([row]).get(row.id)
    return privacy_pages.detail(
        request,
        _TAB,
        title=_("Request to be erased"),
        actions=rows.actions(slug, row, request.member),
        notice=rows.notice(slug, row, request.member),
        facts=rows.facts(slug, row, person),
        sections=evidence.sections(row, found.notices_of(row)),
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
    return privacy_pages.form_page(
        request,
        _TAB,
        form,
        title=_("Erase this customer"),
        lede=_("Make sure that it is the right one: nobody can bring back what is erased."),
        facts=rows.subject_facts(customer, services.preview(customer)),
        submit_label=_("Erase for good"),
        danger=True,
        cancel_url=reverse("conversations:customer", args=[request.tenant.slug, customer.id]),
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
        title=_("Refuse this request"),
        lede=_("Nothing is erased. The ground stays on the record; the person may ask for it."),
        submit_label=_("Refuse the request"),
        danger=True,
        cancel_url=reverse("conversations:privacy-request", args=[request.tenant.slug, row.id]),
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
        actions=[_add_target(slug)],
        columns=pages.columns(_("Name"), _("Address")),
        rows=[rows.target(slug, one) for one in found.targets()],
        empty={
            "title": _("No system is told"),
            "text": _("Add those that have copies of your customers, like a shop or a CRM."),
            "action": _add_target(slug),
        },
    )


def _add_target(slug: str) -> pages.Context:
    return rows.link(_("Add a system"), "add-privacy-target", slug, tone="primary")


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
        request,
        _TAB,
        form,
        title=_("Add a system"),
        lede=_("It gets a signed message for each erasure, and answers when it has done the same."),
        submit_label=_("Add the system"),
        cancel_url=reverse("conversations:privacy-targets", args=[request.tenant.slug]),
    )


@member_required(Permission.PRIVACY)
@require_POST
def remove_privacy_target(request: MemberRequest, target_id: UUID) -> HttpResponse:
    target = redaction_target_for_member(request.member, target_id)
    notices.remove_target(target, by=request.member)
    return pages.done(request, _("Removed."), "conversations:privacy-targets")


def due_erasures(request: MemberRequest) -> list[Due]:
    """For the desk's first page: what is not at its end, by its day."""
    asked = found.open_erasures()
    people = found.subjects_of(asked)
    return [rows.due(request.tenant.slug, row, people.get(row.id)) for row in asked]


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
