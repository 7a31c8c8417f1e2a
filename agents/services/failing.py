"""How a turn ends without an answer, or begins again: errors, lost workers, changed words."""

import random
from contextlib import suppress

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from agents.models import Turn, TurnState
from agents.services import budgets, holds, metrics, service_history
from agents.services.contract import ClaimedTurn, TurnError
from agents.services.queueing import LEASE, TURN, tell_worker
from agents.services.usage import MeteredCall, book_calls
from conversations import live
from conversations.models import Conversation
from conversations.services import control
from conversations.services.timeline import DESK, lock
from tenants import due
from tenants.errors import NotFound
from tenants.scoping import tenant_scope

MAX_BACKOFF_SECONDS = 60


def fail_turn(claimed: ClaimedTurn, error: TurnError, calls: list[MeteredCall]) -> None:
    """Book what was used; try again later, or end the turn and hand the talk to the team."""
    with tenant_scope(claimed.tenant_id):
        conversation = _book_unless_stored(claimed, calls)
        turn = _held(claimed)
        if conversation is None or turn is None:
            return
        _note_error(turn, error)
        if error.code == service_history.LOST:
            service_history.forget(conversation.id)
        if error.retryable and claimed.attempt < settings.TURN_MAX_ATTEMPTS:
            requeue(turn, seconds=_pause(claimed.attempt, error.retry_after))
        else:
            end_failed(turn)
            control.hand_to_team(conversation, by=DESK, code=error.code)
            if budgets.is_budget(error.code):
                budgets.note_reached(error.code, turn_id=turn.id)
        due.cancel(LEASE, turn.id)
        live.ring(conversation.id, "turn")


def book_fenced(claimed: ClaimedTurn, calls: list[MeteredCall]) -> None:
    """What a worker used that may not write any more was used all the same."""
    with tenant_scope(claimed.tenant_id):
        _book_unless_stored(claimed, calls)


def requeue(turn: Turn, *, seconds: float) -> None:
    """Back to the queue; what was queued meanwhile joins this turn.

    Not the other way round: the journal of what the tools did belongs to this one, and a turn
    without it would do it again. Two queued turns would answer twice.
    """
    joining = Turn.objects.select_for_update().filter(
        conversation=turn.conversation_id, state=TurnState.QUEUED
    )
    for queued in joining:
        end_cancelled(queued)
        due.cancel(TURN, queued.id)
        turn.deadline_at = max(turn.deadline_at, queued.deadline_at)
        if queued.session_state is not None:
            turn.session_state, turn.reason = queued.session_state, queued.reason
    turn.state, turn.lease_until, turn.lease_owner = TurnState.QUEUED, None, ""
    turn.save(
        update_fields=[
            "state", "lease_until", "lease_owner", "deadline_at", "session_state", "reason",
        ]
    )  # fmt: skip
    due.schedule(TURN, turn.id, after=seconds)


def restart_running(conversation: Conversation) -> None:
    """The running turn has read words that are no longer there: it begins again.

    The same turn, for its journal; an interruption by the team uses up no last attempt.
    """
    turn = (
        Turn.objects.select_for_update()
        .filter(conversation=conversation, state=TurnState.RUNNING)
        .first()
    )
    if turn is None:
        return
    turn.fence += 1
    turn.attempt = min(turn.attempt, settings.TURN_MAX_ATTEMPTS - 1)
    turn.save(update_fields=["fence", "attempt"])
    due.cancel(LEASE, turn.id)
    requeue(turn, seconds=0)
    transaction.on_commit(lambda: tell_worker(turn.id), robust=True)
    live.ring(conversation.id, "turn")


def end_failed(turn: Turn) -> None:
    _finish(turn, TurnState.FAILED)


def end_cancelled(turn: Turn) -> None:
    _finish(turn, TurnState.CANCELLED)


def _finish(turn: Turn, state: TurnState) -> None:
    turn.state, turn.lease_until, turn.lease_owner = state, None, ""
    turn.finished_at = Now()
    turn.save(update_fields=["state", "lease_until", "lease_owner", "finished_at"])
    metrics.ended(state)


def _book_unless_stored(claimed: ClaimedTurn, calls: list[MeteredCall]) -> Conversation | None:
    """A connection cut at COMMIT looks like a failure: what was stored then was booked then.

    Returns the locked talk. When it is being erased, the usage counts and belongs to nobody: its id
    must not come back behind the purge.
    """
    conversation: Conversation | None = None
    with suppress(NotFound):
        conversation = lock(claimed.conversation_id)
    stored = Turn.objects.filter(
        pk=claimed.turn_id,
        fence=claimed.fence,
        state__in=[TurnState.SUCCEEDED, TurnState.AWAITING_APPROVAL],
    )
    holds.release(claimed.turn_id, fence=claimed.fence)
    if not stored.exists():
        book_calls(
            calls,
            conversation_id=conversation.id if conversation else None,
            turn_id=claimed.turn_id if conversation else None,
            attempt=claimed.attempt,
        )
    return conversation


def _held(claimed: ClaimedTurn) -> Turn | None:
    return (
        Turn.objects.select_for_update()
        .filter(pk=claimed.turn_id, fence=claimed.fence, state=TurnState.RUNNING)
        .first()
    )


def _note_error(turn: Turn, error: TurnError) -> None:
    turn.error_code, turn.error_detail = error.code[:60], error.detail[:2000]
    turn.provider_status = error.provider_status
    turn.save(update_fields=["error_code", "error_detail", "provider_status"])


def _pause(attempt: int, retry_after: float | None) -> float:
    """Seconds before the next attempt: what the provider asks for, or doubling with jitter."""
    if retry_after is not None:
        return min(max(retry_after, 0), 600)
    base = min(2**attempt * settings.TURN_RETRY_BASE_SECONDS, MAX_BACKOFF_SECONDS)
    return float(base * random.uniform(0.5, 1.5))  # noqa: S311 - jitter, not a secret
