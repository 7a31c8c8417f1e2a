"""The tab Retention: policies, the form with its preview, and the reports."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from conversations.access import label_for_member, policy_for_member
from conversations.console import privacy_pages
from conversations.console.privacy_retention_forms import PolicyForm, initial_of
from conversations.console.privacy_retention_rows import policy_row, preview_card, run_rows
from conversations.models import RetentionPolicy
from conversations.selectors.retention import customers_outlive_talks, policies, preview, runs
from conversations.services import retention
from conversations.services.retention import PolicySettings
from tenants.console import pages
from tenants.errors import DeskError
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission

LIST = "conversations:privacy-retention"


@member_required(Permission.PRIVACY)
@require_safe
def retention_page(request: MemberRequest) -> HttpResponse:
    slug = request.tenant.slug
    add = {"label": _("New policy"), "url": reverse("conversations:add-policy", args=[slug])}
    return privacy_pages.detail(
        request,
        privacy_pages.RETENTION,
        title=_("Retention"),
        lede=_(
            "What is deleted by itself, and when. On its day it is hidden from everybody, and soon"
            " after it is deleted. A legal hold keeps it."
        ),
        actions=[add | {"icon": "plus", "tone": "primary"}],
        notice=_who_stays(),
        sections=[
            {
                "title": _("Policies"),
                "columns": pages.columns(_("Policy"), _("What"), _("Kept for"), _("State")),
                "rows": [policy_row(request, policy) for policy in policies()],
                "empty": _(
                    "No policy yet: everything is kept until somebody deletes it. Begin with “New"
                    " policy”; you see what it would delete before anything happens."
                ),
            },
            {
                "title": _("Reports"),
                "columns": pages.columns(
                    _("Begun"),
                    _("Policy"),
                    _("What was deleted"),
                    pages.number(_("Rows")),
                    _("Finished"),
                ),
                "rows": run_rows(request, runs()),
                "empty": _("Nothing has been deleted by a policy yet. Each run reports here."),
            },
        ],
    )


@member_required(Permission.PRIVACY)
@require_http_methods(["GET", "POST"])
def add_policy(request: MemberRequest) -> HttpResponse:
    return _form(request, None)


@member_required(Permission.PRIVACY)
@require_http_methods(["GET", "POST"])
def change_policy(request: MemberRequest, policy_id: UUID) -> HttpResponse:
    """A policy is never changed: another takes its place."""
    return _form(request, policy_for_member(request.member, policy_id))


@member_required(Permission.PRIVACY)
@require_POST
def end_policy(request: MemberRequest, policy_id: UUID) -> HttpResponse:
    policy = policy_for_member(request.member, policy_id)
    text = _("Ended. What it has hidden is seen again soon; what is purged is gone.")
    return pages.attempt(request, lambda: retention.end(policy, by=request.member), text, LIST)


@member_required(Permission.PRIVACY)
@require_POST
def second_policy(request: MemberRequest, policy_id: UUID) -> HttpResponse:
    policy = policy_for_member(request.member, policy_id)
    text = _("Confirmed. The policy starts when its 24 hours are over.")
    return pages.attempt(request, lambda: retention.second(policy, by=request.member), text, LIST)


def _who_stays() -> dict[str, str] | None:
    """Conversations that end do not take their people along: nobody should believe it."""
    if not customers_outlive_talks():
        return None
    text = _(
        "Conversations are deleted by a policy, customers are not: names and addresses stay. Make"
        " a policy for customers as well."
    )
    return {"tone": "info", "text": text}


def _form(request: MemberRequest, old: RetentionPolicy | None) -> HttpResponse:
    form = PolicyForm(request.POST or None, initial=initial_of(old), replaces=old)
    if not form.is_valid():
        return _page(request, form)
    try:
        asked = _asked(request, form)
        if form.was_previewed:
            return _saved(request, retention.make_policy(asked, by=request.member))
        found = preview(asked.rule, asked.kind, member=request.member)
    except DeskError as error:
        form.refuse(error)
        return _page(request, form)
    form.remember_preview()
    return _page(request, form, preview=preview_card(found))


def _asked(request: MemberRequest, form: PolicyForm) -> PolicySettings:
    name = form.cleaned_data["label"]
    return form.asked(label_for_member(request.member, name) if name else None)


def _page(request: MemberRequest, form: PolicyForm, **context: Any) -> HttpResponse:
    old = form.replaces
    shown = {
        **privacy_pages.frame(request, privacy_pages.RETENTION),
        "form": form,
        "title": _("Change a policy") if old else _("New policy"),
        "lede": _(
            "First you see what it would delete. It starts 24 hours after you save it; a large one"
            " needs a second officer."
        ),
        "submit_label": _("Save the policy") if "preview" in context else _("Show the preview"),
        "cancel_url": reverse(LIST, args=[request.tenant.slug]),
        **context,
    }
    status = pages.status_of(form)
    return render(request, "console/privacy/policy.html", shown, status=status)


def _saved(request: MemberRequest, made: RetentionPolicy) -> HttpResponse:
    if made.state == RetentionPolicy.State.ACTIVE:
        text = _("Saved. It keeps more than before and holds at once.")
    elif made.needs_second:
        text = _("Saved. It starts in 24 hours if another officer confirms it: it is a large one.")
    else:
        text = _("Saved. It starts in 24 hours; until then you can end it.")
    messages.success(request, text)
    return redirect(LIST, request.tenant.slug)
