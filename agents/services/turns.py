"""The life of a turn: claim, heartbeat, commit; compare-and-set on state and fence.

Lock order everywhere: conversation, then turn. No lock is held while a model runs.
"""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction

from agents.models import Turn, TurnState
from agents.services import metrics, service_history
from agents.services.approvals import end_older_batch, request_approval
from agents.services.contract import ClaimedTurn, Fenced, TurnAnswer
from agents.services.drafts import keep_draft
from agents.services.insights import think_again
from agents.services.queueing import LEASE, TURN, queue_turn
from agents.services.usage import COLUMNS, columns_of, used_by
from conversations import live, transcript
from conversations.services import control
from conversations.services.timeline import AGENT, lock
from conversations.services.usage import add_usage
from conversations.transcript import Used
from tenants import due
from tenants.errors import NotFound
from tenants.prepared import prepared_cursor
from tenants.scoping import current_tenant_id, tenant_scope

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


# The compare-and-set, and in its train the rows of the model calls and the end of what the run held
# of the budget: no turn, no rows.
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
), released AS (
  DELETE FROM agents_budgethold h USING ended e
  WHERE h.tenant_id = e.tenant_id AND h.holder = e.id AND h.fence = %(fence)s
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
        _remember(claimed, answer)
        if answer.awaiting_approval:
            _ask(claimed, answer)
        if answer.asks_for_person is not None:
            _call_a_person(claimed, answer.asks_for_person)
        else:
            _go_on(claimed, unanswered=appended.customer_seq > answer.saw_seq)
        think_again(claimed.conversation_id)
        live.ring(claimed.conversation_id, "lines", "turn")


def _remember(claimed: ClaimedTurn, answer: TurnAnswer) -> None:
    """Where the tenant lets the model's service keep the conversation."""
    if answer.service is not None:
        service_history.keep(
            answer.service,
            conversation_id=claimed.conversation_id,
            turn_id=claimed.turn_id,
            saw_seq=answer.saw_seq,
        )


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
    think_again(conversation.id)
    live.ring(conversation.id, "turn")


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
        stored = bool(cursor.fetchone() == (1,))
    if stored:
        metrics.stored(state, answer.calls)
    return stored


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
