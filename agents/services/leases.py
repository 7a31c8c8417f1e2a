"""Leases that ran out, and turns that cannot be claimed: what the sweep leads to."""

from uuid import UUID

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Extract, Now

from agents.models import Turn, TurnState
from agents.services.contract import TurnError
from agents.services.failing import end_cancelled, end_failed, requeue
from agents.services.queueing import may_work
from conversations import live
from conversations.models import Conversation
from conversations.services import control
from conversations.services.timeline import DESK, lock
from tenants.due import Work
from tenants.errors import NotFound

LOST_WORKER = TurnError(
    "worker_lost", retryable=True, detail="The worker stopped in the middle of the turn."
)
# How soon a turn that had to wait for another one, or for the tenant's cap, is looked at again.
WAIT_SECONDS = 1.0


def recheck_lease(work: Work) -> None:
    """A lease that was kept is looked at again when it ends; one that ran out gives up the turn."""
    with work.scope():
        turn = Turn.objects.filter(pk=work.ref_id).first()
        if turn is None or turn.state != TurnState.RUNNING:
            work.done()
            return
        left = _seconds_until("lease_until", turn.id)
        if left > 0:
            work.again(left)
            return
        _give_up(work, turn)


def settle_unclaimed(work: Work) -> None:
    """Why a queued turn could not be claimed, and what follows from it."""
    with work.scope():
        turn = Turn.objects.filter(pk=work.ref_id).first()
        if turn is None or turn.state != TurnState.QUEUED:
            work.done()
            return
        conversation = lock(turn.conversation_id)
        turn = Turn.objects.select_for_update().get(pk=turn.pk)
        if turn.state != TurnState.QUEUED:
            work.done()
        elif not may_work(conversation) or _is_idle(turn, conversation):
            end_cancelled(turn)
            work.done()
            # Nobody would see that it waits: the tenant has switched the agent off or to drafts.
            control.follow_mode(conversation)
        elif not _may_try_again(turn):
            _fail(turn, code=turn.error_code or "deadline")
            work.done()
        else:
            work.again(max(_seconds_until("not_before", turn.id), WAIT_SECONDS))


def _is_idle(turn: Turn, conversation: Conversation) -> bool:
    """A line that came while the turn before was loading was answered by that one already."""
    return turn.reason != Turn.Reason.DECISION and not conversation.is_unanswered


def _give_up(work: Work, turn: Turn) -> None:
    """The worker is gone: its fence is raised, and the turn is tried again or fails."""
    try:
        conversation = lock(turn.conversation_id)
    except NotFound:
        work.done()
        return
    held = Turn.objects.select_for_update().get(pk=turn.pk)
    # A heartbeat or a commit may have come while the conversation's lock was awaited.
    if held.state != TurnState.RUNNING or _seconds_until("lease_until", held.id) > 0:
        work.again(WAIT_SECONDS)
        return
    held.fence += 1
    held.error_code, held.error_detail = LOST_WORKER.code, LOST_WORKER.detail
    held.save(update_fields=["fence", "error_code", "error_detail"])
    if _may_try_again(held):
        requeue(held, seconds=0)
    else:
        end_failed(held)
        control.hand_to_team(conversation, by=DESK, code=LOST_WORKER.code)
    work.done()
    live.ring(conversation.id, "turn")


def _fail(turn: Turn, *, code: str) -> None:
    turn.error_code = code
    turn.save(update_fields=["error_code"])
    end_failed(turn)
    control.hand_to_team(turn.conversation, by=DESK, code=code)
    live.ring(turn.conversation_id, "turn")


def _may_try_again(turn: Turn) -> bool:
    return turn.attempt < settings.TURN_MAX_ATTEMPTS and _seconds_until("deadline_at", turn.id) > 0


def _seconds_until(column: str, turn_id: UUID) -> float:
    """Seconds until a time of the turn, 0 when it has none: by the database's clock alone."""
    left = Extract(F(column) - Now(), "epoch")
    found = Turn.objects.filter(pk=turn_id).annotate(left=left).values_list("left", flat=True)
    return float(found[0] or 0) if found else 0.0
