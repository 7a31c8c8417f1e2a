"""Whether something of the agent waits for a member here, repeated on the talk's row for lists."""

from conversations import live
from conversations.models import Conversation


def mark_approval_pending(conversation: Conversation, *, pending: bool) -> None:
    """The caller holds the conversation's lock."""
    Conversation.objects.filter(pk=conversation.pk).update(approval_pending=pending)
    conversation.approval_pending = pending
    live.ring(conversation.id, "state")
