"""The privacy desk's first page: what is due, soonest first."""

from collections.abc import Callable, Iterable
from datetime import datetime

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from conversations.console import privacy_pages
from conversations.console.privacy_due import Due
from conversations.console.privacy_erasure_views import due_erasures
from conversations.console.privacy_export_views import due_exports
from conversations.console.privacy_retention_due import due_retention
from tenants.console.audit_words import why_staff_came
from tenants.console.pages import Context, cell, columns, row
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission
from tenants.selectors.teams import open_visits


def staff_visits(request: MemberRequest) -> Iterable[Due]:
    """Platform staff who may read now: the desk says so, and ends it with one click."""
    slug = request.tenant.slug
    for visit in open_visits():
        end = {
            "label": _("End the visit now"),
            "url": reverse("tenants:end-visit", args=[slug, visit.id]),
            "method": "post",
            "tone": "danger",
        }
        yield Due(
            at=visit.until,
            what=_("Platform staff may read conversations"),
            who=f"{visit.user.name} · {visit.case}",
            state=why_staff_came(visit.reason),
            url=f"{reverse('tenants:audit', args=[slug])}?kind=staff",
            tone="warning",
            actions=[end],
        )


# Each area of the privacy desk adds the function that lists what it has due in the open scope.
SOURCES: tuple[Callable[[MemberRequest], Iterable[Due]], ...] = (
    due_erasures,
    due_exports,
    due_retention,
    staff_visits,
)


@member_required(Permission.PRIVACY)
@require_safe
def privacy(request: MemberRequest) -> HttpResponse:
    due = sorted((one for source in SOURCES for one in source(request)), key=_urgency)
    return privacy_pages.table(
        request,
        privacy_pages.DESK,
        title=_("Privacy desk"),
        lede=_("What waits for you: what went wrong or is late, then the soonest first."),
        columns=columns(_("What"), _("State"), _("Due")),
        rows=[_row(one) for one in due],
        empty={
            "title": _("Nothing is due"),
            "text": _(
                "No request, hold, policy or export waits for anybody. What customers ask for, and"
                " what you begin on the other tabs, appears here with its day."
            ),
        },
    )


def _urgency(due: Due) -> tuple[bool, datetime]:
    """What has failed or is late waits for nobody else: it stands above."""
    return due.tone != "error", due.at


def _row(due: Due) -> Context:
    return row(
        [
            cell(due.what, url=due.url, hint=due.who),
            cell(due.state, kind="badge", tone=due.tone),
            cell(due.at, kind="time"),
        ],
        due.actions,
    )
