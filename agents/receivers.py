"""What the agents app does on the hooks of conversations, inside their transactions."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.dispatch import receiver

from agents.models import Turn, TurnState
from agents.selectors import own_data
from agents.selectors.providers import providers_of
from agents.services import service_history
from agents.services.drafts import end_drafts, forget_drafts
from agents.services.failing import restart_running
from agents.services.insights import think_again
from agents.services.queueing import cancel_turns, may_draft, may_work, queue_turn
from conversations.hooks import (
    Receipt,
    conversation_forked,
    conversations_hidden,
    customer_message_posted,
    handler_changed,
    message_changed,
    register_messenger,
    register_own_data,
    register_providers,
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
    """What the agent is making of the old words must not be said; what it noted is redone."""
    restart_running(conversation)
    think_again(conversation.id)
    forget_drafts(conversation, seq=message.seq)
    # A model's service would go on from the old words.
    service_history.forget(conversation.id)


@receiver(conversation_forked)
def fork_history(*, conversation: Conversation, source: Conversation, **_: Any) -> None:
    service_history.copy_to_fork(source, conversation)


@receiver(conversations_hidden)
def stop_at_once(*, conversations: Sequence[Conversation], **_: Any) -> None:
    """The person is being erased: no worker of the agent may say or store one word more."""
    at_work = [TurnState.QUEUED, TurnState.RUNNING, TurnState.AWAITING_APPROVAL]
    live = Turn.objects.filter(conversation__in=[row.id for row in conversations])
    busy = set(live.filter(state__in=at_work).values_list("conversation_id", flat=True))
    for conversation in conversations:
        if conversation.id in busy:
            cancel_turns(conversation)


def post_outside(url: str, headers: Mapping[str, str], body: bytes) -> Receipt:
    from agents.runtime.outside import post  # noqa: PLC0415 - web processes load no HTTP client

    return post(url, headers, body)


def turn_is_running(conversation_id: UUID) -> bool:
    """Whether an answer to the customer is being written; a draft is none."""
    running = Turn.objects.filter(conversation=conversation_id, state=TurnState.RUNNING)
    return running.filter(drafts=False).exists()


register_typing_probe(turn_is_running)
register_own_data("tool_calls", own_data.tool_calls)
register_own_data("approvals", own_data.approvals)
register_providers(providers_of)
register_messenger(post_outside)
