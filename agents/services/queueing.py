"""Which turns there are: queue, retry, cancel. Always under the conversation's lock."""

from collections.abc import Collection
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from agents.models import Approval, Turn, TurnState
from agents.services import metrics
from conversations import live
from conversations.models import Conversation, Handler, Status
from conversations.services import control
from conversations.services.approvals import mark_approval_pending
from conversations.services.timeline import lock
from tenants import due, quick_redis, tracing
from tenants.errors import Conflict
from tenants.models import AgentMode
from tenants.scoping import current_tenant_id, new_id

TURN = due.kind("turn", queue="turns", urgent=True)
LEASE = due.kind("lease", queue="sweep", urgent=True)
APPROVAL = due.kind("approval", queue="sweep")
_DECIDED = (Approval.State.APPROVED, Approval.State.REJECTED)


class NothingToRetry(Conflict):
    """Only a turn that has ended can be tried again, and only while the agent answers."""

    code = "nothing_to_retry"
    detail = "This turn is still going on or the team answers here. Hand back, then retry."


# Joining the queued turn must lock its row: a claim at this very moment would otherwise load the
# history without the line that is being posted, and nobody would answer it.
_JOIN = """
UPDATE agents_turn SET not_before = NULL
WHERE tenant_id = %s AND conversation_id = %s AND state = 'queued'
RETURNING id
"""

_QUEUE = """
INSERT INTO agents_turn (id, tenant_id, conversation_id, reason, retry_of, state, attempt, fence,
  lease_owner, deadline_at, input_tokens, output_tokens, cost, error_code, error_detail)
VALUES (%s, %s, %s, %s, %s, 'queued', 0, 0, '',
  clock_timestamp() + %s * interval '1 second', 0, 0, 0, '', '')
"""


def queue_turn(
    conversation: Conversation, *, reason: Turn.Reason, retry_of: UUID | None = None
) -> UUID:
    """The turn that will answer all that stands unanswered: the queued one, or a new one.

    The caller holds the conversation's lock. Joined or made, it is due in this transaction.
    """
    tenant_id = current_tenant_id()
    with connection.cursor() as cursor:
        cursor.execute(_JOIN, [tenant_id, conversation.id])
        found = cursor.fetchone()
        turn_id: UUID = found[0] if found else new_id()
        if found is None:
            deadline = settings.TURN_DEADLINE_SECONDS
            cursor.execute(
                _QUEUE, [turn_id, tenant_id, conversation.id, reason, retry_of, deadline]
            )
    tracing.mark(conversation=conversation.id, turn=turn_id)
    due.schedule(TURN, turn_id)
    live.ring(conversation.id, "turn")
    return turn_id


@transaction.atomic
def retry_turn(turn: Turn) -> Turn:
    """A new turn in place of one that failed or was cancelled; the old one stays as it is."""
    conversation = lock(turn.conversation_id)
    turn.refresh_from_db()
    if turn.state not in {TurnState.FAILED, TurnState.CANCELLED}:
        raise NothingToRetry
    if not may_work(conversation):
        raise NothingToRetry
    turn_id = queue_turn(conversation, reason=Turn.Reason.RETRY, retry_of=turn.id)
    return Turn.objects.get(pk=turn_id)


def queue_decision(conversation: Conversation, *, session_state: dict[str, Any]) -> UUID:
    """The turn that carries a decision out: the queued one, or a new one.

    It holds the framework's state of the batch from now on, so that any process can resume it.
    """
    turn_id = queue_turn(conversation, reason=Turn.Reason.DECISION)
    deadline = Now() + timedelta(seconds=settings.TURN_DEADLINE_SECONDS)
    Turn.objects.filter(pk=turn_id).update(
        reason=Turn.Reason.DECISION, session_state=session_state, deadline_at=deadline
    )
    return turn_id


def may_answer(conversation: Conversation) -> bool:
    """Whether the agent may speak here now."""
    return (
        conversation.handler == Handler.AGENT
        and conversation.status == Status.OPEN
        and conversation.can_write
        and control.effective_mode(conversation) == AgentMode.AUTO
    )


def may_draft(conversation: Conversation) -> bool:
    """Whether the agent may write for the team here now."""
    return (
        conversation.handler == Handler.TEAM
        and conversation.status == Status.OPEN
        and conversation.can_write
        and control.effective_mode(conversation) == AgentMode.DRAFT
    )


def may_work(conversation: Conversation) -> bool:
    """Whether a turn makes sense here now: to answer, or to draft."""
    return may_answer(conversation) or may_draft(conversation)


def cancel_turns(
    conversation: Conversation, *, states: Collection[str] = ("queued", "running")
) -> list[UUID]:
    """End the turns of the locked conversation; a running worker is fenced from this moment.

    Turns that wait for an approval end too, and the approval is void.
    """
    live_turns = Turn.objects.filter(
        conversation=conversation, state__in=[*states, TurnState.AWAITING_APPROVAL]
    )
    ids = list(live_turns.select_for_update().values_list("id", flat=True))
    if not ids:
        return []
    Turn.objects.filter(pk__in=ids).update(
        state=TurnState.CANCELLED,
        fence=F("fence") + 1,
        lease_until=None,
        lease_owner="",
        session_state=None,
        finished_at=Now(),
    )
    metrics.ended(TurnState.CANCELLED, len(ids))
    void_approvals(ids)
    if conversation.approval_pending:
        mark_approval_pending(conversation, pending=False)
    for turn_id in ids:
        _end(turn_id)
    live.ring(conversation.id, "turn")
    return ids


def void_approvals(
    turn_ids: Collection[UUID], *, state: Approval.State = Approval.State.VOID
) -> None:
    """Nothing of an undecided batch happens any more, whatever was said of a part of it."""
    batches = Approval.objects.filter(turn__in=turn_ids)
    undecided = batches.filter(state=Approval.State.PENDING).values("turn")
    batches.filter(turn__in=undecided, state__in=_DECIDED).update(
        state=Approval.State.VOID, decided_by=None, decided_at=None
    )
    batches.filter(state=Approval.State.PENDING).update(state=state)


def _end(turn_id: UUID) -> None:
    for kind in (TURN, LEASE, APPROVAL):
        due.cancel(kind, turn_id)
    transaction.on_commit(lambda: tell_worker(turn_id), robust=True)


def tell_worker(turn_id: UUID) -> None:
    """Only quicker: the fence refuses its answer in any case."""
    quick_redis.attempt(lambda redis: redis.publish(f"turn:{turn_id}", "cancelled"))
