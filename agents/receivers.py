"""What the agents app does on the hooks of conversations, inside their transactions."""

from typing import Any
from uuid import UUID

from django.dispatch import receiver

from agents.models import Turn, TurnState
from agents.services.queueing import cancel_turns, may_answer, queue_turn
from conversations.hooks import (
    customer_message_posted,
    handler_changed,
    register_typing_probe,
)
from conversations.models import Conversation, Event


@receiver(customer_message_posted)
def answer_customer(*, conversation: Conversation, **_: Any) -> None:
    if may_answer(conversation):
        queue_turn(conversation, reason=Turn.Reason.CUSTOMER)


@receiver(handler_changed)
def follow_handler(*, conversation: Conversation, cause: str, **_: Any) -> None:
    """The agent's turns from before are over; a hand-back may need an answer."""
    cancel_turns(conversation)
    if cause == Event.Kind.HANDED_BACK and conversation.is_unanswered and may_answer(conversation):
        queue_turn(conversation, reason=Turn.Reason.HANDED_BACK)


def turn_is_running(conversation_id: UUID) -> bool:
    return Turn.objects.filter(conversation=conversation_id, state=TurnState.RUNNING).exists()


register_typing_probe(turn_is_running)
