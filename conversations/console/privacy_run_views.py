"""The page of a run of retention that waits: what it would take, and the second person's button."""

from uuid import UUID

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from conversations.access import run_for_member
from conversations.console import privacy_pages
from conversations.console.privacy_retention_rows import preview_card
from conversations.models import RetentionRun
from conversations.selectors.retention import policy_behind, preview
from conversations.selectors.retention_law import rule_of
from conversations.services.retention_confirming import confirm_run
from tenants.console import pages
from tenants.console.pages import Context
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission


@member_required(Permission.PRIVACY)
@require_http_methods(["GET", "POST"])
def run(request: MemberRequest, run_id: UUID) -> HttpResponse:
    row = run_for_member(request.member, run_id)
    if request.method == "POST":
        text = _("Confirmed. It deletes now; the report says what it took.")
        back = "conversations:privacy-retention"
        return pages.attempt(request, lambda: confirm_run(row, by=request.member), text, back)
    policy = policy_behind(row)
    own = policy is not None and policy.made_by_id == request.member.id
    return privacy_pages.detail(
        request,
        privacy_pages.RETENTION,
        title=_("Run of retention: {name}").format(name=row.name),
        lede=_lede(row),
        notice=_notice(row, own=own),
        actions=_actions(request, row, own=own),
        sections=_sections(request, row),
    )


def _lede(row: RetentionRun) -> str:
    if row.held_back_at is None:
        return _("It does not wait for anybody. The report says what it took.")
    text = _("{due} items have ended: more than one percent of all. Hidden, not deleted.")
    return text.format(due=f"{row.due:,}")


def _notice(row: RetentionRun, *, own: bool) -> Context | None:
    if row.held_back_at is None:
        return None
    if own:
        text = _(
            "You have made this policy yourself: another owner or privacy officer must confirm the"
            " run. If it takes what it should not, end the policy, and all of it is seen again."
        )
    else:
        text = _(
            "Was a large part resolved or labelled by mistake? End the policy, and all of it is"
            " seen again. What you confirm is deleted for good."
        )
    return {"tone": "warning", "text": text}


def _sections(request: MemberRequest, row: RetentionRun) -> list[Context]:
    """What it would take as of now, and what was idle longest; the platform has no preview."""
    policy = policy_behind(row)
    title = _("What it would take")
    if policy is None or row.held_back_at is None:
        return [{"title": title, "empty": _("There is no preview of this run.")}]
    card = preview_card(preview(rule_of(policy), policy.kind, member=request.member))
    longest = {"title": _("Idle longest"), "columns": card["columns"], "rows": card["rows"]}
    return [{"title": title, "text": card["lines"][0]}, *([longest] if card["rows"] else [])]


def _actions(request: MemberRequest, row: RetentionRun, *, own: bool) -> list[Context]:
    url = reverse("conversations:privacy-retention", args=[request.tenant.slug])
    policies: Context = {"label": _("Policies"), "url": url}
    return [policies] if own or row.held_back_at is None else [policies, _confirm(request, row)]


def _confirm(request: MemberRequest, row: RetentionRun) -> Context:
    question = _("Delete {due} items now? They cannot be brought back.")
    return {
        "label": _("Confirm and delete"),
        "url": reverse("conversations:confirm-run", args=[request.tenant.slug, row.id]),
        "method": "post",
        "confirm": question.format(due=f"{row.due:,}"),
        "tone": "primary",
    }
