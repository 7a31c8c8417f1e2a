"""The life of a turn: claim, heartbeat, commit, fail; compare-and-set on state and fence.

Lock order everywhere: conversation, then turn. No lock is held while a model runs.
"""

import random
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models.functions import Now

from agents.models import Turn, TurnState
from agents.services.approvals import RequestedCall, end_older_batch, request_approval
from agents.services.drafts import keep_draft
from agents.services.queueing import LEASE, TURN, queue_turn, tell_worker
from agents.services.titles import TITLE
from agents.services.usage import COLUMNS, MeteredCall, book_calls, columns_of, used_by
from conversations import live, transcript
from conversations.models import Conversation
from conversations.services import control
from conversations.services.timeline import AGENT, DESK, lock
from conversations.services.usage import add_usage
from conversations.transcript import NewRow, Used
from tenants import due
from tenants.errors import NotFound
from tenants.prepared import prepared_cursor
from tenants.scoping import current_tenant_id, tenant_scope

MAX_BACKOFF_SECONDS = 60


class Fenced(Exception):
    """The turn is not this worker's any more: stop, and write nothing of it."""


class TurnError(Exception):
    """Why an attempt failed; `detail` is for members only."""

    def __init__(
        self,
        code: str,
        *,
        retryable: bool,
        detail: str = "",
        retry_after: float | None = None,
        provider_status: int | None = None,
    ) -> None:
        super().__init__(code)
        self.code, self.retryable, self.detail = code, retryable, detail
        self.retry_after, self.provider_status = retry_after, provider_status


@dataclass(frozen=True, slots=True)
class ClaimedTurn:
    """A turn that this worker holds until the fence moves on."""

    tenant_id: UUID
    turn_id: UUID
    conversation_id: UUID
    fence: int
    attempt: int
    deadline_seconds: float
    reason: str
    # It writes for a teammate to send; nothing of it reaches the customer.
    drafts: bool = False


@dataclass(slots=True)
class TurnAnswer:
    """The agent's side of a turn: rows in order, the last one the text; and what it cost."""

    rows: list[NewRow]
    saw_seq: int
    calls: list[MeteredCall] = field(default_factory=list)
    asks_for_person: str | None = None
    session_state: dict[str, Any] | None = None
    awaiting_approval: bool = False
    # The calls that wait for a member, when `awaiting_approval`.
    requests: list[RequestedCall] = field(default_factory=list)


# One statement decides: queued and due, attempts and deadline left, the agent answers or drafts
# here and something stands unanswered, no other running turn in the talk, the tenant under its cap.
_CLAIM = """
UPDATE agents_turn t SET
  state = 'running', attempt = attempt + 1, fence = fence + 1, not_before = NULL,
  lease_until = clock_timestamp() + %(lease)s * interval '1 second', lease_owner = %(owner)s,
  started_at = COALESCE(started_at, clock_timestamp()),
  drafts = (COALESCE(NULLIF(c.mode, ''), w.agent_mode) = 'draft')
FROM conversations_conversation c JOIN tenants_tenant w ON w.id = c.tenant_id
WHERE t.tenant_id = %(tenant)s AND t.id = %(turn)s AND t.state = 'queued'
  AND (t.not_before IS NULL OR t.not_before <= clock_timestamp())
  AND t.attempt < %(attempts)s AND t.deadline_at > clock_timestamp()
  AND c.tenant_id = t.tenant_id AND c.id = t.conversation_id
  AND c.status = 'open'
  AND CASE COALESCE(NULLIF(c.mode, ''), w.agent_mode)
    WHEN 'auto' THEN c.handler = 'agent'
      AND (c.customer_seq > c.answered_seq OR t.reason = 'decision')
    WHEN 'draft' THEN c.handler = 'team' AND c.customer_seq > c.answered_seq
      AND t.session_state IS NULL
    ELSE false END
  AND NOT EXISTS (SELECT 1 FROM agents_turn o WHERE o.tenant_id = t.tenant_id
    AND o.conversation_id = t.conversation_id AND o.state = 'running')
  AND (SELECT count(*) FROM agents_turn r WHERE r.tenant_id = t.tenant_id
    AND r.state = 'running') < (SELECT max_running_turns FROM tenants_tenant
    WHERE id = t.tenant_id AND status = 'active')
RETURNING t.conversation_id, t.fence, t.attempt,
  EXTRACT(EPOCH FROM t.deadline_at - clock_timestamp())::float8, t.reason, t.drafts
"""


def claim(turn_id: UUID, *, owner: str) -> ClaimedTurn | None:
    """Take a queued turn, in a transaction of its own; None when it is not to be had now."""
    tenant_id = current_tenant_id()
    with transaction.atomic(), connection.cursor() as cursor:
        # Claims of one tenant come one after the other, so that the cap is exact.
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"t{tenant_id}"])
        cursor.execute(
            _CLAIM,
            {
                "tenant": tenant_id,
                "turn": turn_id,
                "owner": owner,
                "lease": settings.TURN_LEASE_SECONDS,
                "attempts": settings.TURN_MAX_ATTEMPTS,
            },
        )
        found = cursor.fetchone()
        if found is None:
            return None
        due.cancel(TURN, turn_id)
        due.schedule(LEASE, turn_id, after=settings.TURN_LEASE_SECONDS)
    conversation_id, *rest = found
    live.ring(conversation_id, "turn")
    return ClaimedTurn(tenant_id, turn_id, conversation_id, *rest)


def heartbeat(claimed: ClaimedTurn) -> bool:
    """Extend the lease by the database's clock; False means fenced: stop at once."""
    with tenant_scope(claimed.tenant_id), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE agents_turn SET lease_until = clock_timestamp() + %s * interval '1 second'"
            " WHERE tenant_id = %s AND id = %s AND fence = %s AND state = 'running'",
            [
                settings.TURN_LEASE_SECONDS,
                claimed.tenant_id,
                claimed.turn_id,
                claimed.fence,
            ],
        )
        return bool(cursor.rowcount == 1)


# The compare-and-set, and in its train the rows of the model calls: no turn, no rows.
_SUCCEED = """
WITH ended AS (
  UPDATE agents_turn SET state = %(state)s::varchar, saw_seq = %(saw)s, lease_until = NULL,
    lease_owner = '', session_state = %(session)s::jsonb, error_code = '', error_detail = '',
    provider_status = NULL, input_tokens = input_tokens + %(input)s,
    output_tokens = output_tokens + %(output)s, cost = agents_turn.cost + %(spent)s,
    finished_at = CASE WHEN %(state)s::varchar = 'succeeded' THEN clock_timestamp() END
  WHERE tenant_id = %(tenant)s AND id = %(turn)s AND fence = %(fence)s AND state = 'running'
  RETURNING id, tenant_id, conversation_id
), booked AS (
  INSERT INTO agents_modelcall (id, tenant_id, conversation_id, turn_id, attempt, {names})
  SELECT v.id, e.tenant_id, e.conversation_id, e.id, %(attempt)s, {names}
  FROM ended e, unnest(%(ids)s::uuid[], {arrays}) AS v(id, {names})
)
SELECT count(*) FROM ended
""".format(  # noqa: S608 - names of columns, from this code
    names=", ".join(COLUMNS),
    arrays=", ".join(f"%({name})s::{of}[]" for name, of in COLUMNS.items()),
)


def commit_turn(claimed: ClaimedTurn, *, answer: TurnAnswer) -> None:
    """Store the agent's side and end the turn, or raise `Fenced` and store nothing.

    One transaction: the append locks the talk and re-reads its handler, the turn's compare-and-set
    refuses a stale worker, the model calls are booked, the next turn is made due.
    """
    with tenant_scope(claimed.tenant_id):
        if claimed.drafts:
            _commit_draft(claimed, answer)
            return
        used = used_by(answer.calls)
        appended = transcript.append(claimed.conversation_id, answer.rows, by="agent", used=used)
        if appended is None:
            raise Fenced
        if answer.awaiting_approval:
            # The talk is locked by now; of two waiting turns the index would refuse the second.
            end_older_batch(claimed.conversation_id)
        if not _end_running(claimed, answer, used):
            raise Fenced
        due.cancel(LEASE, claimed.turn_id)
        if answer.awaiting_approval:
            _ask(claimed, answer)
        if answer.asks_for_person is not None:
            _call_a_person(claimed, answer.asks_for_person)
        else:
            _go_on(claimed, unanswered=appended.customer_seq > answer.saw_seq)
        if appended.untitled:
            due.schedule(TITLE, claimed.conversation_id)
        live.ring(claimed.conversation_id, "lines", "turn")


def _commit_draft(claimed: ClaimedTurn, answer: TurnAnswer) -> None:
    """No message, no line, no mark of an answer: a draft, and the cost."""
    try:
        conversation = lock(claimed.conversation_id)
    except NotFound:
        raise Fenced from None
    used = used_by(answer.calls)
    if not _end_running(claimed, answer, used):
        raise Fenced
    due.cancel(LEASE, claimed.turn_id)
    add_usage(conversation.id, **used._asdict())
    keep_draft(conversation, claimed.turn_id, answer.rows, saw_seq=answer.saw_seq)
    _go_on(claimed, unanswered=conversation.customer_seq > answer.saw_seq)
    if not conversation.title:
        due.schedule(TITLE, conversation.id)
    live.ring(conversation.id, "turn")


def fail_turn(claimed: ClaimedTurn, error: TurnError, calls: list[MeteredCall]) -> None:
    """Book what was used; try again later, or end the turn and hand the talk to the team."""
    with tenant_scope(claimed.tenant_id):
        conversation = lock(claimed.conversation_id)
        _book_unless_stored(claimed, calls)
        turn = _held(claimed)
        if turn is None:
            return
        _note_error(turn, error)
        if error.retryable and claimed.attempt < settings.TURN_MAX_ATTEMPTS:
            requeue(turn, seconds=_pause(claimed.attempt, error.retry_after))
        else:
            end_failed(turn)
            control.hand_to_team(conversation, by=DESK, code=error.code)
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


def _end_running(claimed: ClaimedTurn, answer: TurnAnswer, used: Used) -> bool:
    state = TurnState.AWAITING_APPROVAL if answer.awaiting_approval else TurnState.SUCCEEDED
    values: dict[str, Any] = {
        "state": state.value,
        "saw": answer.saw_seq,
        "session": transcript.as_json(answer.session_state),
        "tenant": claimed.tenant_id,
        "turn": claimed.turn_id,
        "fence": claimed.fence,
        "attempt": claimed.attempt,
        "input": used.input_tokens,
        "output": used.output_tokens,
        "spent": used.cost,
    }
    with prepared_cursor() as cursor:
        cursor.execute(_SUCCEED, values | columns_of(answer.calls))
        return bool(cursor.fetchone() == (1,))


def _ask(claimed: ClaimedTurn, answer: TurnAnswer) -> None:
    request_approval(lock(claimed.conversation_id), claimed.turn_id, answer.requests)


def _call_a_person(claimed: ClaimedTurn, reason: str) -> None:
    conversation = lock(claimed.conversation_id)
    control.ask_for_person(conversation, by=AGENT, reason=reason)


def _go_on(claimed: ClaimedTurn, *, unanswered: bool) -> None:
    """What the customer wrote meanwhile has a queued turn already: ring for it now."""
    if unanswered:
        conversation = lock(claimed.conversation_id)
        queue_turn(conversation, reason=Turn.Reason.CUSTOMER)


def _book_unless_stored(claimed: ClaimedTurn, calls: list[MeteredCall]) -> None:
    """A connection cut at COMMIT looks like a failure: what was stored then was booked then."""
    stored = Turn.objects.filter(
        pk=claimed.turn_id,
        fence=claimed.fence,
        state__in=[TurnState.SUCCEEDED, TurnState.AWAITING_APPROVAL],
    )
    if not stored.exists():
        book_calls(
            calls,
            conversation_id=claimed.conversation_id,
            turn_id=claimed.turn_id,
            attempt=claimed.attempt,
        )


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
