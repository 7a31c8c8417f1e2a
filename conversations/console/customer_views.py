"""Customers: who they are, what they have said, and whether two of them are one."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from conversations.access import customer_for_member, merge_for_member
from conversations.console import customer_rows as rows
from conversations.models import Customer
from conversations.selectors.customers import customers as found_customers
from conversations.selectors.customers import merges_of, page_of, talks_of, verified_ids
from conversations.services import merging
from tenants.console import pages
from tenants.console.forms import DeskForm
from tenants.errors import DeskError
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission, may


class CustomersForm(forms.Form):
    """Words of a name or an address, and where the page begins."""

    q = forms.CharField(label=lazy("Name or address"), required=False, max_length=200)
    before = forms.UUIDField(required=False, widget=forms.HiddenInput)


class MergeForm(DeskForm):
    """Only where your website knows both."""

    sure = forms.BooleanField(
        label=lazy("I am sure, even if your website knows both by a sign-in of their own"),
        required=False,
    )


class SplitForm(DeskForm):
    """Which conversations are somebody else's."""

    conversations = forms.TypedMultipleChoiceField(
        label=lazy("These are somebody else's"),
        coerce=UUID,
        widget=forms.CheckboxSelectMultiple,
        help_text=lazy("They go to a new customer without a name. You can undo it for 14 days."),
    )

    def __init__(self, *args: Any, choices: list[tuple[str, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["conversations"].choices = choices  # type: ignore[attr-defined]


@member_required(Permission.READ)
@require_safe
def customers(request: MemberRequest) -> HttpResponse:
    form = CustomersForm(request.GET)
    wanted: dict[str, Any] = form.cleaned_data if form.is_valid() else {"q": "", "before": None}
    page = page_of(q=wanted["q"], before=wanted["before"])
    return pages.table(
        request,
        active="customers",
        title=_("Customers"),
        lede=_("Everybody who has written to you, the newest first."),
        filter_form=form,
        columns=pages.columns(_("Name"), _("E-mail"), _("Identity"), _("First seen")),
        rows=rows.customers(request.tenant.slug, page.rows, verified_ids(page.rows)),
        empty=_nobody(wanted["q"]),
        next_url=page.next and rows.next_url(wanted["q"], page.next),
    )


@member_required(Permission.READ)
@require_safe
def customer(request: MemberRequest, customer_id: UUID) -> HttpResponse:
    row = customer_for_member(request.member, customer_id)
    slug = request.tenant.slug
    may_reply = may(request.member, Permission.REPLY)
    actions = rows.acts(slug, row) if may_reply else []
    if may(request.member, Permission.PRIVACY):
        actions = [*actions, *rows.privacy_acts(slug, row)]
    return pages.detail(
        request,
        active="customers",
        title=row.name or _("Visitor"),
        actions=actions,
        facts=rows.facts(row, verified=row.id in verified_ids([row])),
        sections=[
            rows.talks(slug, talks_of(request.member, row)),
            rows.merges(slug, row, merges_of(row), may_undo=may_reply),
        ],
    )


@member_required(Permission.REPLY)
@require_http_methods(["GET", "POST"])
def merge_customer(request: MemberRequest, customer_id: UUID) -> HttpResponse:
    """First who it is, then whether it is meant."""
    row = customer_for_member(request.member, customer_id)
    chosen = request.GET.get("other")
    if not chosen:
        return _choose_other(request, row)
    other = customer_for_member(request.member, chosen)
    form = MergeForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        sure = form.cleaned_data["sure"]
        try:
            merging.merge(row, other, by=request.member, although_both_proven=sure)
        except DeskError as error:
            form.refuse(error)
        else:
            return _to(request, row, _("Merged. It can be undone for 14 days."))
    return pages.form_page(
        request,
        form,
        active="customers",
        title=_("Merge {other} into {name}").format(other=rows.who(other), name=rows.who(row)),
        lede=_("Conversations and sign-ins move. You can undo it for 14 days."),
        facts=rows.two_people(row, other),
        submit_label=_("Merge the two"),
        cancel_url=_address(request, row),
    )


def _choose_other(request: MemberRequest, row: Customer) -> HttpResponse:
    form = CustomersForm(request.GET)
    q = form.cleaned_data["q"] if form.is_valid() else ""
    found = [one for one in found_customers(q=q, limit=50) if one != row]
    return pages.table(
        request,
        active="customers",
        title=_("Who else is {name}?").format(name=rows.who(row)),
        lede=_("Choose the customer who is the same person."),
        filter_form=form,
        columns=pages.columns(_("Name"), _("E-mail"), _("Identity"), _("First seen")),
        rows=rows.others(found, verified_ids(found)),
        empty=_nobody(q),
    )


def _nobody(q: str) -> pages.Context:
    if not q:
        text = _("Whoever writes to you in the chat appears here.")
        return {"title": _("No customers yet"), "text": text}
    text = _("Nobody has “%(words)s” in a name or an address. Try fewer letters.") % {"words": q}
    return {"title": _("Nobody found"), "text": text}


@member_required(Permission.REPLY)
@require_http_methods(["GET", "POST"])
def split_customer(request: MemberRequest, customer_id: UUID) -> HttpResponse:
    row = customer_for_member(request.member, customer_id)
    talks = talks_of(request.member, row)
    form = SplitForm(request.POST or None, choices=rows.talk_choices(talks))
    if form.is_valid():
        chosen = form.cleaned_data["conversations"]
        try:
            made = merging.split(row, conversations=chosen, by=request.member)
        except DeskError as error:
            form.refuse(error)
        else:
            return _to(request, made.target, _("Split. It can be undone for 14 days."))
    return pages.form_page(
        request,
        form,
        active="customers",
        title=_("Split off another customer"),
        lede=_("Sign-ins and sessions stay where they are: nothing says whose they are."),
        notice=rows.nothing_to_split(talks),
        submit_label=_("Split off"),
        cancel_url=_address(request, row),
    )


@member_required(Permission.REPLY)
@require_POST
def undo_merge(request: MemberRequest, merge_id: UUID) -> HttpResponse:
    row = merge_for_member(request.member, merge_id)
    stays = row.target if row.kind == row.Kind.MERGE else row.source
    try:
        merging.undo(row, by=request.member)
    except DeskError as error:
        messages.error(request, error.detail)
        return redirect(_address(request, stays))
    return _to(request, stays, _("Undone. What was written since then has stayed."))


def _to(request: MemberRequest, customer: Customer, text: str) -> HttpResponse:
    messages.success(request, text)
    return redirect(_address(request, customer))


def _address(request: MemberRequest, customer: Customer) -> str:
    return reverse("conversations:customer", args=[request.tenant.slug, customer.id])
