"""What the agents app does on the hooks of conversations, inside their transactions."""

from typing import Any
from uuid import UUID

from django.dispatch import receiver

from agents.models import Turn, TurnState
from agents.selectors import own_data
from agents.services.drafts import end_drafts, forget_drafts
from agents.services.failing import restart_running
from agents.services.queueing import cancel_turns, may_draft, may_work, queue_turn
from conversations.hooks import (
    customer_message_posted,
    handler_changed,
    message_changed,
    register_own_data,
    register_typing_probe,
)
from conversations.models import Conversation, Event, Message

# Who of the team answers makes no difference to a draft.
_AMONG_THE_TEAM = {Event.Kind.TAKEN_OVER, Event.Kind.ASSIGNED}
_MAY_NEED_AN_ANSWER = {
    Event.Kind.HANDED_BACK: Turn.Reason.HANDED_BACK,
    Event.Kind.MODE_CHANGED: Turn.Reason.CUSTOMER,
}


@receiver(customer_message_posted)
def answer_customer(*, conversation: Conversation, **_: Any) -> None:
    if may_work(conversation):
        queue_turn(conversation, reason=Turn.Reason.CUSTOMER)


@receiver(handler_changed)
def follow_handler(*, conversation: Conversation, cause: Event.Kind, **_: Any) -> None:
    """The agent's turns from before are over; another handler or mode may need an answer."""
    if cause in _AMONG_THE_TEAM and may_draft(conversation):
        return
    cancel_turns(conversation)
    if not may_draft(conversation):
        end_drafts(conversation)
    reason = _MAY_NEED_AN_ANSWER.get(cause)
    if reason and conversation.is_unanswered and may_work(conversation):
        queue_turn(conversation, reason=reason)


@receiver(message_changed)
def forget_old_words(*, conversation: Conversation, message: Message, **_: Any) -> None:
    """What the agent is making of the old words must not be said."""
    restart_running(conversation)
    forget_drafts(conversation, seq=message.seq)


def turn_is_running(conversation_id: UUID) -> bool:
    """Whether an answer to the customer is being written; a draft is none."""
    running = Turn.objects.filter(conversation=conversation_id, state=TurnState.RUNNING)
    return running.filter(drafts=False).exists()


register_typing_probe(turn_is_running)
register_own_data("tool_calls", own_data.tool_calls)
register_own_data("approvals", own_data.approvals)
