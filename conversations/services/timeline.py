"""Locking a conversation and writing its timeline."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F

from conversations import live
from conversations.lines import line_for
from conversations.models import Conversation, Customer, Event
from tenants.errors import NotFound
from tenants.models import Actor, Member


@dataclass(frozen=True, slots=True)
class By:
    """Who did it, as the timeline keeps it: the name as it was then."""

    kind: str
    id: UUID | None = None
    name: str = ""

    @classmethod
    def member(cls, member: Member) -> "By":
        return cls(Actor.MEMBER, member.id, member.name)

    @classmethod
    def customer(cls, customer: Customer) -> "By":
        return cls(Actor.CUSTOMER, customer.id, customer.name)


AGENT = By(Actor.AGENT)
DESK = By(Actor.SYSTEM)


def lock(conversation_id: UUID) -> Conversation:
    """The current row, locked until the transaction ends; raises `NotFound` when it is gone.

    Every write takes this lock first and a turn's row second: the other order would deadlock.
    """
    rows = Conversation.objects.select_for_update(no_key=True, of=("self",))
    rows = rows.select_related("tenant")  # for the mode and the language, in the same statement
    conversation = rows.filter(pk=conversation_id).first()
    if conversation is None:
        raise NotFound
    return conversation


def record_event(
    conversation: Conversation,
    kind: Event.Kind,
    *,
    by: By,
    detail: dict[str, Any] | None = None,
    **line_values: str,
) -> Event:
    """Write one line of the timeline under the lock, with the customer's words if it is public."""
    line = line_for(kind, conversation.locale, **line_values)
    seq = next_seq(conversation)
    event = Event.objects.create(
        conversation=conversation,
        seq=seq,
        kind=kind,
        public=bool(line),
        line=line,
        by_kind=by.kind,
        by_id=by.id,
        by_name=by.name,
        detail=detail or {},
    )
    live.ring(conversation.id, "lines")
    return event


def next_seq(conversation: Conversation) -> int:
    """The next number of the locked conversation, for the one line that the caller writes now."""
    Conversation.objects.filter(pk=conversation.pk).update(last_seq=F("last_seq") + 1)
    conversation.refresh_from_db(fields=["last_seq"])
    return conversation.last_seq
