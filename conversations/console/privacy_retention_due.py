"""What retention and holds tell the privacy desk's first page."""

from collections.abc import Iterable

from django.urls import reverse
from django.utils.translation import gettext as _

from conversations.console.privacy_due import Due
from conversations.console.privacy_retention_rows import run_url
from conversations.selectors.holds import ending, subject_names
from conversations.selectors.retention import held_back, waiting
from tenants.gates.members import MemberRequest


def due_retention(request: MemberRequest) -> Iterable[Due]:
    """Runs and policies that wait for a second officer or their day, and holds that are ending."""
    slug = request.tenant.slug
    yield from _runs(request)
    for policy in waiting():
        second = policy.waits_for_second
        yield Due(
            at=policy.starts_at,
            what=_("Retention policy"),
            who=policy.name,
            state=_("Waits for a second officer") if second else _("Starts then"),
            url=reverse("conversations:privacy-retention", args=[slug]),
            tone="warning" if second else "info",
        )
    released = list(ending())
    names = subject_names(released)
    for hold in released:
        yield Due(
            at=hold.ends_at or hold.created_at,
            what=_("Legal hold that was released"),
            who=names.get(hold.subject_id, ""),
            state=_("Ends then"),
            url=reverse("conversations:privacy-holds", args=[slug]),
            tone="info",
        )


def _runs(request: MemberRequest) -> Iterable[Due]:
    for run in held_back():
        yield Due(
            at=run.held_back_at or run.created_at,
            what=_("Large run of retention: {name}, {due} items").format(
                name=run.name, due=f"{run.due:,}"
            ),
            state=_("Waits for a second officer"),
            url=run_url(request, run),
            tone="error",
        )
