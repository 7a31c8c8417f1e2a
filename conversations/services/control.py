"""Who answers: take over, hand back, assign, ask for a person."""

from django.db import transaction
from django.utils import timezone

from conversations import live
from conversations.hooks import handler_changed
from conversations.models import Conversation, Event, Handler, Status
from conversations.services.timeline import By, lock, record_event
from tenants.errors import Conflict, InvalidInput
from tenants.models import AgentMode, Member


class AgentIsOff(Conflict):
    """The tenant or this talk has no agent that answers by itself."""

    code = "agent_is_off"
    detail = "The AI agent is switched off here. Switch it on in the settings, then hand back."


class ConversationClosed(Conflict):
    """The tenant ended the talk for good."""

    code = "conversation_closed"
    detail = "This conversation was closed for good. Start a new one."


@transaction.atomic
def take_over(conversation: Conversation, *, by: Member) -> Conversation:
    """`by` answers from now on; no message of the agent can follow the event. Idempotent."""
    row = lock(conversation.id)
    if row.handler == Handler.TEAM and row.assignee_id == by.id:
        return row
    _give_to_team(row, assignee=by)
    if row.status != Status.OPEN:
        _open(row, by=By.member(by))
    record_event(row, Event.Kind.TAKEN_OVER, by=By.member(by), name=by.name)
    handler_changed.send(Conversation, conversation=row, cause=Event.Kind.TAKEN_OVER)
    return row


@transaction.atomic
def hand_back(conversation: Conversation, *, by: Member) -> Conversation:
    """The agent answers again: at once when customer lines stand unanswered. Idempotent."""
    row = lock(conversation.id)
    if row.handler == Handler.AGENT:
        return row
    if effective_mode(row) != AgentMode.AUTO:
        raise AgentIsOff
    row.handler, row.assignee, row.person_asked_at = Handler.AGENT, None, None
    row.save(update_fields=["handler", "assignee", "person_asked_at"])
    record_event(row, Event.Kind.HANDED_BACK, by=By.member(by))
    live.ring(row.id, "state")
    handler_changed.send(Conversation, conversation=row, cause=Event.Kind.HANDED_BACK)
    return row


@transaction.atomic
def set_mode(conversation: Conversation, *, mode: str, by: Member) -> Conversation:
    """What the agent does in this talk; empty means as the tenant's settings say. Idempotent.

    Where it does not answer by itself any more, the team does.
    """
    if mode and mode not in AgentMode.values:
        raise InvalidInput(errors={"mode": [f"Choose one of: {', '.join(AgentMode.values)}."]})
    row = lock(conversation.id)
    if row.mode == mode:
        return row
    row.mode = mode
    row.save(update_fields=["mode"])
    record_event(row, Event.Kind.MODE_CHANGED, by=By.member(by), detail={"mode": mode})
    if _is_left_alone(row):
        _give_to_team(row, assignee=row.assignee)
    live.ring(row.id, "state")
    handler_changed.send(Conversation, conversation=row, cause=Event.Kind.MODE_CHANGED)
    return row


@transaction.atomic
def follow_mode(conversation: Conversation) -> Conversation:
    """The settings have taken the talk from the agent: the team has it. Idempotent."""
    row = lock(conversation.id)
    if _is_left_alone(row):
        _give_to_team(row, assignee=row.assignee)
        handler_changed.send(Conversation, conversation=row, cause=Event.Kind.MODE_CHANGED)
    return row


@transaction.atomic
def assign(conversation: Conversation, *, to: Member | None, by: Member) -> Conversation:
    """Make `to` responsible; a person's name on a talk means that the team answers. Idempotent."""
    row = lock(conversation.id)
    if row.assignee_id == (to.id if to else None):
        return row
    was_agents = row.handler == Handler.AGENT
    if to is None:
        row.assignee = None
        row.save(update_fields=["assignee"])
        live.ring(row.id, "state")
    else:
        _give_to_team(row, assignee=to)
    detail = {"assignee": str(to.id), "name": to.name} if to else {"assignee": None}
    record_event(row, Event.Kind.ASSIGNED, by=By.member(by), detail=detail)
    if was_agents and to is not None:
        handler_changed.send(Conversation, conversation=row, cause=Event.Kind.ASSIGNED)
    return row


@transaction.atomic
def unassign_all(member: Member, *, by: Member) -> int:
    """A member who leaves keeps no talk: the team sees them as unassigned. Returns how many."""
    mine = Conversation.objects.filter(assignee=member).values_list("pk", flat=True)
    for pk in mine:
        row = lock(pk)
        row.assignee = None
        row.save(update_fields=["assignee"])
        record_event(row, Event.Kind.ASSIGNED, by=By.member(by), detail={"assignee": None})
        live.ring(row.id, "state")
    return len(mine)


@transaction.atomic
def ask_for_person(conversation: Conversation, *, by: By, reason: str = "") -> Conversation:
    """The team answers from now on, and the customer reads one line that says so. Idempotent."""
    row = lock(conversation.id)
    if row.closed_at is not None:
        raise ConversationClosed
    if row.handler == Handler.TEAM and row.person_asked_at is not None:
        return row
    if row.status != Status.OPEN:
        _open(row, by=by)
    row.person_asked_at = timezone.now()
    row.save(update_fields=["person_asked_at"])
    _give_to_team(row, assignee=row.assignee)
    detail = {"reason": reason} if reason else {}
    record_event(row, Event.Kind.PERSON_ASKED, by=by, detail=detail)
    handler_changed.send(Conversation, conversation=row, cause=Event.Kind.PERSON_ASKED)
    return row


@transaction.atomic
def hand_to_team(conversation: Conversation, *, by: By, code: str) -> Conversation:
    """The agent could not answer: the team does, and the customer reads one neutral line."""
    row = lock(conversation.id)
    if row.handler == Handler.TEAM:
        return row
    _give_to_team(row, assignee=row.assignee)
    record_event(row, Event.Kind.FAILED, by=by, detail={"code": code})
    handler_changed.send(Conversation, conversation=row, cause=Event.Kind.FAILED)
    return row


def effective_mode(conversation: Conversation) -> str:
    """The talk's own mode, or the tenant's."""
    return conversation.mode or conversation.tenant.agent_mode


def _is_left_alone(row: Conversation) -> bool:
    """An agent is to answer that does not answer by itself."""
    return row.handler == Handler.AGENT and effective_mode(row) != AgentMode.AUTO


def _give_to_team(row: Conversation, *, assignee: Member | None) -> None:
    row.handler, row.assignee = Handler.TEAM, assignee
    row.save(update_fields=["handler", "assignee"])
    live.ring(row.id, "state")


def _open(row: Conversation, *, by: By) -> None:
    row.status, row.snoozed_until, row.resolved_at = Status.OPEN, None, None
    row.save(update_fields=["status", "snoozed_until", "resolved_at"])
    record_event(row, Event.Kind.REOPENED, by=by)
