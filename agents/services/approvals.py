"""What the agent may not do alone: asked for at the commit, decided once, carried out by a turn.

Turns and approvals are locked only under the conversation's lock, which comes first. The
framework's state of the pending batch rests on its turn and moves, with the decision, to the turn
that resumes.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from agents.models import Approval, Turn, TurnState
from agents.services import metrics
from agents.services.queueing import APPROVAL, may_answer, queue_decision, void_approvals
from conversations import live, transcript
from conversations.models import Conversation, Event, MessageRole
from conversations.services import control
from conversations.services.approvals import mark_approval_pending
from conversations.services.timeline import AGENT, DESK, By, lock, record_event
from conversations.transcript import NewRow
from tenants import due
from tenants.due import Work
from tenants.errors import Conflict, Forbidden, Gone, NotFound
from tenants.models import Member
from tenants.permissions import Permission, may
from tenants.services import audit
from tenants.text import clean_text

COMMENT_LIMIT = 2000

State = Approval.State


class AlreadyDecided(Conflict):
    """Somebody was first."""

    code = "already_decided"
    detail = "A teammate has decided this already. Load the conversation to see how."


class AgentDoesNotAnswer(Conflict):
    """Nobody would carry the decision out."""

    code = "agent_not_answering"
    detail = "The AI agent does not answer here now. Reopen the conversation, then decide."


class ArgumentsChanged(Conflict):
    """What is shown is not what was asked for."""

    code = "approval_changed"
    detail = "The arguments are not those that the agent asked for. Take the conversation over."


class ApprovalVoid(Gone):
    """The talk went another way."""

    code = "approval_void"
    detail = "This request has ended: the conversation went on without it. Nothing was done."


class ApprovalExpired(Gone):
    """Nobody decided in time."""

    code = "approval_expired"
    detail = "Nobody decided in time, so nothing was done. Answer the customer yourself."


class AboveLimit(Forbidden):
    """The sum is over what the member's role may decide."""

    detail = "This sum is above what your role may approve. Ask an admin of your team."


@dataclass(frozen=True, slots=True)
class RequestedCall:
    """A call that the model asks for, exactly as it would be carried out."""

    request_id: str
    tool: str
    arguments: dict[str, Any]
    why: str = ""
    amount: Decimal | None = None
    measured: str = ""


def end_older_batch(conversation_id: UUID) -> None:
    """A newer batch takes the place of the one that waits. The conversation is locked."""
    waiting = Turn.objects.select_for_update().filter(
        conversation=conversation_id, state=TurnState.AWAITING_APPROVAL
    )
    for turn in waiting:
        void_approvals([turn.id])
        Turn.objects.filter(pk=turn.pk).update(
            state=TurnState.CANCELLED, fence=F("fence") + 1, session_state=None, finished_at=Now()
        )
        metrics.ended(TurnState.CANCELLED)
        due.cancel(APPROVAL, turn.id)


def request_approval(
    conversation: Conversation, turn_id: UUID, calls: Sequence[RequestedCall]
) -> None:
    """One row a call, one line for the customer, one clock; in the transaction of the commit."""
    wait = timedelta(hours=conversation.tenant.approval_hours)
    Approval.objects.bulk_create(
        Approval(
            conversation=conversation,
            turn_id=turn_id,
            call_id=call.request_id,
            tool=call.tool,
            arguments=call.arguments,
            arguments_digest=digest_of(call.arguments),
            why=call.why,
            amount=call.amount,
            measured=call.measured[:60],
            expires_at=Now() + wait,
        )
        for call in calls
    )
    due.schedule(APPROVAL, turn_id, after=wait.total_seconds())
    record_event(conversation, Event.Kind.WAITING_FOR_COLLEAGUE, by=AGENT)
    mark_approval_pending(conversation, pending=True)


@transaction.atomic
def decide(approval: Approval, *, by: Member, approved: bool, comment: str = "") -> Approval:
    """Decided once, by a role that may; with the last one of its batch the agent goes on.

    Of two people at once the second waits for the lock and reads that it is decided.
    """
    comment = clean_text(comment, limit=COMMENT_LIMIT) if comment.strip() else ""
    conversation = lock(approval.conversation_id)
    row = Approval.objects.select_for_update().filter(pk=approval.pk).first()
    if row is None:
        raise NotFound
    _refuse_unless_open(row, conversation)
    _refuse_above_limit(row, conversation, by)
    row.state = State.APPROVED if approved else State.REJECTED
    row.decided_by, row.comment = by, comment
    row.decided_at = Now()
    row.save(update_fields=["state", "decided_by", "decided_at", "comment"])
    _tell(row, conversation, by)
    _resume_if_complete(conversation, row.turn_id)
    live.ring(conversation.id, "turn")
    row.refresh_from_db()
    return row


def expire(work: Work) -> None:
    """Nobody decided in time: nothing is done, and the team has the talk. Idempotent."""
    with work.scope():
        turn = Turn.objects.filter(pk=work.ref_id).first()
        conversation = _locked(turn)
        if turn is None or conversation is None:
            work.done()
            return
        rows = Approval.objects.select_for_update().filter(turn=turn, state=State.PENDING)
        tools = sorted({row.tool for row in rows})
        if tools:
            void_approvals([turn.id], state=State.EXPIRED)
            reason = f"Nobody decided in time: {', '.join(tools)}"
            # Ends the waiting turn too, as every change of the handler does.
            control.ask_for_person(conversation, by=DESK, reason=reason)
        work.done()


def digest_of(arguments: dict[str, Any]) -> bytes:
    return hashlib.sha256(json.dumps(arguments, sort_keys=True).encode()).digest()


def _locked(turn: Turn | None) -> Conversation | None:
    try:
        return lock(turn.conversation_id) if turn else None
    except NotFound:
        return None


def _refuse_unless_open(row: Approval, conversation: Conversation) -> None:
    if row.state in {State.APPROVED, State.REJECTED}:
        raise AlreadyDecided
    if row.state == State.VOID:
        raise ApprovalVoid
    # The sweep that marks it may be late; the clock is the database's.
    in_time = Approval.objects.filter(pk=row.pk, expires_at__gt=Now()).exists()
    if row.state == State.EXPIRED or not in_time:
        raise ApprovalExpired
    if digest_of(row.arguments) != bytes(row.arguments_digest):
        raise ArgumentsChanged
    if not may_answer(conversation):
        raise AgentDoesNotAnswer


def _refuse_above_limit(row: Approval, conversation: Conversation, by: Member) -> None:
    if not may(by, Permission.APPROVE):
        raise Forbidden
    above = row.amount is not None and row.amount > conversation.tenant.approval_limit
    if above and not may(by, Permission.APPROVE_ABOVE_LIMIT):
        raise AboveLimit


def _tell(row: Approval, conversation: Conversation, by: Member) -> None:
    kind = Event.Kind.APPROVED if row.state == State.APPROVED else Event.Kind.REJECTED
    detail = {"approval": str(row.id), "tool": row.tool, "comment": row.comment}
    record_event(conversation, kind, by=By.member(by), detail=detail)
    audit.record(f"approval.{row.state}", by=by, target=row, detail={"tool": row.tool})


def _resume_if_complete(conversation: Conversation, turn_id: UUID) -> None:
    batch = list(Approval.objects.filter(turn=turn_id).order_by("id"))
    if any(row.state == State.PENDING for row in batch):
        return
    turn = Turn.objects.select_for_update().get(pk=turn_id, state=TurnState.AWAITING_APPROVAL)
    state: dict[str, Any] = turn.session_state or {}
    parts = _decision(state, {row.call_id: row.state == State.APPROVED for row in batch})
    row = NewRow(role=MessageRole.MEMBER, parts=parts, turn_id=turn_id)
    transcript.append(conversation.id, [row], by="decision")
    Turn.objects.filter(pk=turn_id).update(
        state=TurnState.SUCCEEDED, session_state=None, finished_at=Now()
    )
    metrics.ended(TurnState.SUCCEEDED)
    due.cancel(APPROVAL, turn_id)
    mark_approval_pending(conversation, pending=False)
    queue_decision(conversation, session_state=state)


def _decision(state: dict[str, Any], decided: dict[str, bool]) -> list[dict[str, Any]]:
    """The framework's own contents; it binds them to the calls that it recorded itself."""
    return [
        {
            "type": "function_approval_response",
            "id": request["id"],
            "approved": decided[request["id"]],
            "function_call": request["function_call"],
        }
        for request in state.get("pending_approval_requests") or []
        if request["id"] in decided
    ]
