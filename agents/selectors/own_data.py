"""What the agent did about a customer, for that customer's export."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from agents.models import Approval, ToolCall
from conversations.models import Conversation

_BATCH = 1000


def _talks(customer_id: UUID) -> QuerySet[Conversation]:
    """What is hidden, since it has expired or is being erased, is in no copy."""
    return Conversation.objects.filter(customer=customer_id)


def tool_calls(customer_id: UUID) -> Iterator[dict[str, Any]]:
    calls = ToolCall.objects.filter(turn__conversation__in=_talks(customer_id))
    calls = calls.select_related("turn").order_by("turn__conversation_id", "id")
    for row in calls.iterator(_BATCH):
        yield {
            "conversation": row.turn.conversation_id,
            "created_at": row.created_at,
            "tool": row.name,
            "arguments": row.arguments,
            "result": row.result,
            "state": row.state,
        }


def approvals(customer_id: UUID) -> Iterator[dict[str, Any]]:
    """Without who decided and what they remarked: that is the team's own."""
    asked = Approval.objects.filter(conversation__in=_talks(customer_id))
    for row in asked.order_by("conversation_id", "id").iterator(_BATCH):
        yield {
            "conversation": row.conversation_id,
            "created_at": row.created_at,
            "tool": row.tool,
            "arguments": row.arguments,
            "why": row.why,
            "amount": row.amount,
            "state": row.state,
            "decided_at": row.decided_at,
        }
