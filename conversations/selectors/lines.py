"""What stands in a conversation, in `seq` order: for the widget, the web admin, API and streams."""

from dataclasses import dataclass
from heapq import merge
from uuid import UUID

from django.db.models import Q, QuerySet

from conversations.hooks import agent_is_typing
from conversations.models import (
    Conversation,
    Event,
    Message,
    MessageEdit,
    MessageRole,
    Note,
    Summary,
)

Line = Message | Note | Event


@dataclass(frozen=True, slots=True)
class ConversationState:
    """Where a talk stands, as customers and members may know it."""

    status: str
    handler: str
    assignee_name: str
    agent_typing: bool
    can_write: bool


def lines(
    conversation_id: UUID,
    *,
    private: bool,
    after_seq: int | None = None,
    before_seq: int | None = None,
    limit: int = 50,
) -> list[Line]:
    """Up to `limit` lines in `seq` order: the oldest after `after_seq`, or else the newest.

    Without `private` only what was said and the public events. Two statements, three with notes.
    """
    place = _place(conversation_id, after_seq, before_seq)
    newest_first = after_seq is None
    tables: list[QuerySet[Message] | QuerySet[Note] | QuerySet[Event]] = [
        said(place, superseded=private),
        Event.objects.filter(place) if private else Event.objects.filter(place, public=True),
    ]
    if private:
        tables.append(Note.objects.filter(place))
    return _first(tables, newest_first=newest_first, limit=limit)


def messages_of(
    conversation_id: UUID,
    *,
    after_seq: int | None = None,
    before_seq: int | None = None,
    limit: int = 50,
) -> list[Message]:
    """What was said and nothing else, paged like `lines`."""
    rows = said(_place(conversation_id, after_seq, before_seq))
    if after_seq is not None:
        return list(rows.order_by("seq")[:limit])
    return list(rows.order_by("-seq")[:limit])[::-1]


def notes_of(conversation_id: UUID, *, after_seq: int, limit: int) -> list[Note]:
    return list(Note.objects.filter(_place(conversation_id, after_seq)).order_by("seq")[:limit])


def events_of(conversation_id: UUID, *, after_seq: int, limit: int) -> list[Event]:
    return list(Event.objects.filter(_place(conversation_id, after_seq)).order_by("seq")[:limit])


def edits_of(message: Message) -> list[MessageEdit]:
    """What the message said before, the oldest first; nothing after it was blacked out."""
    edits = MessageEdit.objects.filter(conversation=message.conversation_id, seq=message.seq)
    return list(edits.select_related("by__user").order_by("created_at", "id"))


def newest_summary(conversation_id: UUID) -> Summary | None:
    """What stands for the earlier lines, if they were summed up."""
    rows = Summary.objects.filter(conversation=conversation_id)
    return rows.order_by("-seq").first()


def written_by(conversation_id: UUID, turn_id: UUID) -> list[Message]:
    """The lines that a turn has left, also those for the model alone."""
    rows = Message.objects.filter(conversation=conversation_id, turn_id=turn_id)
    return list(rows.order_by("seq"))


def said(place: Q, *, superseded: bool = False) -> QuerySet[Message]:
    """The messages that people see; calls, results and silent steps are for the model.

    Answers that another took the place of are for members, who ask for them with `superseded`.
    """
    rows = Message.objects.filter(place).exclude(text="").exclude(role=MessageRole.TOOL)
    return rows if superseded else rows.filter(superseded_at__isnull=True)


def state_of(conversation: Conversation) -> ConversationState:
    """The state of a talk; one statement more when the agent handles it."""
    assignee = conversation.assignee
    return ConversationState(
        status=conversation.status,
        handler=conversation.handler,
        assignee_name=assignee.name if assignee else "",
        agent_typing=agent_is_typing(conversation.id),
        can_write=conversation.can_write,
    )


def _place(conversation_id: UUID, after_seq: int | None, before_seq: int | None = None) -> Q:
    place = Q(conversation_id=conversation_id)
    if after_seq is not None:
        place &= Q(seq__gt=after_seq)
    if before_seq is not None:
        place &= Q(seq__lt=before_seq)
    return place


def _first(
    tables: list[QuerySet[Message] | QuerySet[Note] | QuerySet[Event]],
    *,
    newest_first: bool,
    limit: int,
) -> list[Line]:
    order = "-seq" if newest_first else "seq"
    found: list[list[Line]] = [list(table.order_by(order)[:limit]) for table in tables]
    in_order = list(merge(*found, key=lambda line: line.seq, reverse=newest_first))[:limit]
    return in_order[::-1] if newest_first else in_order
