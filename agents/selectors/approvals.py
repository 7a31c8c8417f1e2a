"""What the agent may not do alone and waits for."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from django.db.models import QuerySet

from agents.models import Approval
from conversations.models import Conversation


@dataclass(frozen=True, slots=True)
class Request:
    """The calls of one turn that are decided together."""

    conversation: Conversation
    calls: list[Approval]


def pending_requests(conversation_id: UUID | None = None) -> list[Request]:
    """Oldest first, of one conversation or of all; one statement."""
    rows: QuerySet[Approval] = Approval.objects.filter(state=Approval.State.PENDING)
    if conversation_id is not None:
        rows = rows.filter(conversation=conversation_id)
    related = rows.select_related("conversation__customer")
    return _grouped(related.order_by("created_at", "turn_id", "id"))


def _grouped(rows: Iterable[Approval]) -> list[Request]:
    batches = [list(batch) for _, batch in groupby(rows, key=lambda row: row.turn_id)]
    return [Request(batch[0].conversation, batch) for batch in batches]
