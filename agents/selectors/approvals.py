"""What the agent may not do alone and waits for."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from django.db.models import QuerySet

from agents.models import Approval
from conversations.models import Conversation

LATELY = 20


@dataclass(frozen=True, slots=True)
class Request:
    """The calls of one turn that are decided together."""

    conversation: Conversation
    calls: list[Approval]


def approvals_in(state: str, *, limit: int) -> list[Approval]:
    """What waits, oldest first; what is over, newest first."""
    order = "" if state == Approval.State.PENDING else "-"
    rows = _visible().filter(state=state).select_related("decided_by__user")
    return list(rows.order_by(f"{order}created_at", f"{order}id")[:limit])


def pending_requests(conversation_id: UUID | None = None) -> list[Request]:
    """Oldest first, of one conversation or of all, each with its whole batch; one statement."""
    waiting = _visible().filter(state=Approval.State.PENDING)
    if conversation_id is not None:
        waiting = waiting.filter(conversation=conversation_id)
    rows = _related(Approval.objects.filter(turn__in=waiting.values("turn")))
    return _grouped(rows.order_by("created_at", "turn_id", "id"))


def decided_lately() -> list[Approval]:
    """What is over, the newest first."""
    rows = _related(_visible().exclude(state=Approval.State.PENDING))
    return list(rows.order_by("-created_at", "-id")[:LATELY])


def _visible() -> QuerySet[Approval]:
    """Not of talks that are being erased."""
    return Approval.objects.filter(conversation__erased_at__isnull=True)


def _related(rows: QuerySet[Approval]) -> QuerySet[Approval]:
    return rows.select_related("conversation__customer", "decided_by__user")


def _grouped(rows: Iterable[Approval]) -> list[Request]:
    batches = [list(batch) for _, batch in groupby(rows, key=lambda row: row.turn_id)]
    return [Request(batch[0].conversation, batch) for batch in batches]
