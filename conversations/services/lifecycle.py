"""Where a talk stands: resolve, reopen, snooze, wake, close."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from conversations import live
from conversations.hooks import handler_changed
from conversations.models import Conversation, Event, Handler, Status
from conversations.services.control import effective_mode
from conversations.services.reckoning import reckon_one
from conversations.services.timeline import DESK, By, lock, record_event
from tenants import due
from tenants.errors import Conflict, InvalidInput
from tenants.models import AgentMode, Member

SNOOZE = due.kind("snooze", queue="bulk")


class AlreadyResolved(Conflict):
    """A resolved talk cannot be snoozed."""

    code = "already_resolved"
    detail = "This conversation is resolved. Reopen it first."


@transaction.atomic
def resolve(conversation: Conversation, *, by: Member) -> Conversation:
    """End the talk for now; running and queued turns of the agent are cancelled. Idempotent."""
    row = lock(conversation.id)
    if row.status == Status.RESOLVED:
        return row
    row.status, row.resolved_at, row.snoozed_until = Status.RESOLVED, timezone.now(), None
    # Whoever resolves has decided that nothing more is owed.
    row.waiting_since, row.answered_seq, row.unread_count = None, row.customer_seq, 0
    row.save(
        update_fields=[
            "status", "resolved_at", "snoozed_until", "waiting_since", "answered_seq",
            "unread_count",
        ]
    )  # fmt: skip
    due.cancel(SNOOZE, row.id)
    record_event(row, Event.Kind.RESOLVED, by=By.member(by))
    reckon_one(row.id)
    live.ring(row.id, "state")
    handler_changed.send(Conversation, conversation=row, cause=Event.Kind.RESOLVED)
    return row


@transaction.atomic
def reopen(conversation: Conversation, *, by: Member) -> Conversation:
    """Back to open, with the handler it had. Idempotent."""
    row = lock(conversation.id)
    if row.status == Status.OPEN:
        return row
    return _open(row, by=By.member(by), kind=Event.Kind.REOPENED)


@transaction.atomic
def snooze(conversation: Conversation, *, until: datetime, by: Member) -> Conversation:
    """Out of sight until a time or until the customer writes. Idempotent."""
    if until <= timezone.now():
        raise InvalidInput(errors={"until": ["This time has passed. Choose a later one."]})
    row = lock(conversation.id)
    if row.status == Status.RESOLVED:
        raise AlreadyResolved
    if row.status == Status.SNOOZED and row.snoozed_until == until:
        return row
    row.status, row.snoozed_until = Status.SNOOZED, until
    row.save(update_fields=["status", "snoozed_until"])
    due.schedule(SNOOZE, row.id, at=until)
    detail = {"until": until.isoformat()}
    record_event(row, Event.Kind.SNOOZED, by=By.member(by), detail=detail)
    reckon_one(row.id)
    live.ring(row.id, "state")
    return row


@transaction.atomic
def wake(conversation: Conversation) -> Conversation:
    """The end of a snooze, when it is still due: a talk opened or snoozed anew meanwhile stays."""
    row = lock(conversation.id)
    if row.status != Status.SNOOZED or row.snoozed_until is None:
        return row
    if row.snoozed_until > timezone.now():
        due.schedule(SNOOZE, row.id, at=row.snoozed_until)
        return row
    return _open(row, by=DESK, kind=Event.Kind.WOKEN)


def reopen_for_customer(row: Conversation, *, by: By) -> None:
    """A customer's line opens the locked talk again.

    The handler stays as it was, unless it was the agent and the tenant has switched it off since.
    """
    if row.handler == Handler.AGENT and effective_mode(row) != AgentMode.AUTO:
        row.handler = Handler.TEAM
        row.save(update_fields=["handler"])
    if row.status != Status.OPEN:
        _open(row, by=by, kind=Event.Kind.REOPENED)


def _open(row: Conversation, *, by: By, kind: Event.Kind) -> Conversation:
    row.status, row.snoozed_until, row.resolved_at = Status.OPEN, None, None
    row.save(update_fields=["status", "snoozed_until", "resolved_at"])
    due.cancel(SNOOZE, row.id)
    record_event(row, kind, by=by)
    reckon_one(row.id)
    live.ring(row.id, "state")
    return row
