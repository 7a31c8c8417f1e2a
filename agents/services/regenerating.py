"""Another answer in place of one that was given."""

from django.db import transaction

from agents.models import Turn, TurnState
from agents.services import metrics, service_history
from agents.services.queueing import may_answer, queue_turn
from conversations.models import Conversation
from conversations.services.superseding import supersede
from conversations.services.timeline import lock
from tenants.errors import Conflict

_GOING_ON = [TurnState.QUEUED, TurnState.RUNNING, TurnState.AWAITING_APPROVAL]


class NothingToRegenerate(Conflict):
    """Only what was said last can be said anew: later lines rest on what stood there."""

    code = "nothing_to_regenerate"
    detail = (
        "Only the last answer can be written anew, while the AI agent answers here and nobody has"
        " written since. Edit the message, or answer yourself."
    )


@transaction.atomic
def regenerate_turn(turn: Turn) -> Turn:
    """A new turn for the same lines; the old answer is kept for members, marked superseded."""
    conversation = lock(turn.conversation_id)
    turn = Turn.objects.select_for_update().get(pk=turn.pk)
    if not (may_answer(conversation) and is_last_word(turn, conversation)):
        raise NothingToRegenerate
    turn.state = TurnState.SUPERSEDED
    turn.save(update_fields=["state"])
    metrics.ended(TurnState.SUPERSEDED)
    conversation = supersede(conversation, turn_id=turn.id)
    service_history.forget(conversation.id, turn_id=turn.id)
    turn_id = queue_turn(conversation, reason=Turn.Reason.REGENERATED, retry_of=turn.id)
    return Turn.objects.get(pk=turn_id)


def is_last_word(turn: Turn, conversation: Conversation) -> bool:
    """Whether the turn's answer is the last that was said, and nothing is on its way."""
    if turn.state != TurnState.SUCCEEDED or turn.drafts or turn.saw_seq is None:
        return False
    turns = Turn.objects.filter(conversation=conversation)
    last = turns.filter(state=TurnState.SUCCEEDED).order_by("-created_at", "-id").first()
    if last is None or last.pk != turn.pk or turns.filter(state__in=_GOING_ON).exists():
        return False
    return conversation.spoken_seq <= turn.saw_seq
