"""Going on from an earlier point, in a conversation of its own."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from conversations import live, transcript
from conversations.hooks import conversation_forked
from conversations.models import Conversation, Event, Handler, Message, MessageRole, Status
from conversations.services.file_copies import copy_files
from conversations.services.timeline import By, lock, record_event
from tenants.errors import NotFound
from tenants.models import Member
from tenants.scoping import new_id

_COPIED = (
    "seq", "role", "customer_id", "member_id", "author_name", "text", "parts", "sources",
    "turn_id", "saw_seq", "edited_at", "created_at",
)  # fmt: skip


@transaction.atomic
def fork(message: Message, *, by: Member) -> Conversation:
    """A new conversation of the same customer that has happened up to this message.

    The lines are copied with new ids and the same numbers, so that what each turn had seen stays
    true; of a turn all lines or none, so that no tool call stands without its result. The old talk
    stays as it is, both name each other in the timeline, and the member has the new one.
    """
    source = lock(message.conversation_id)
    message.refresh_from_db()
    if not message.was_said or message.superseded_at is not None:
        raise NotFound
    rows = _whole_turns(source, up_to=message.seq)
    talk = Conversation.objects.create(
        customer_id=source.customer_id,
        status=Status.OPEN,
        handler=Handler.TEAM,
        assignee=by,
        mode=source.mode,
        locale=source.locale,
        title=source.title,
        title_by=source.title_by,
        **_counters(rows),
    )
    Message.objects.bulk_create(_copy(row, talk) for row in rows)
    copy_files(source, [row.seq for row in rows], to=talk)
    who = By.member(by)
    here = {"conversation": str(source.id), "seq": message.seq}
    record_event(talk, Event.Kind.FORKED_FROM, by=who, detail=here)
    record_event(source, Event.Kind.FORKED, by=who, detail={"conversation": str(talk.id)})
    conversation_forked.send(Conversation, conversation=talk, source=source)
    live.ring(talk.id, "state")
    talk.refresh_from_db()
    return talk


def _whole_turns(source: Conversation, *, up_to: int) -> list[Message]:
    """All lines up to there, without the turns that had not come to their words by then."""
    place = Message.objects.filter(conversation=source, seq__lte=up_to)
    rows = list(place.filter(superseded_at__isnull=True).order_by("seq"))
    ended = {row.turn_id for row in rows if row.role == MessageRole.AGENT and row.text}
    return [
        row
        for row in rows
        if row.role in (MessageRole.CUSTOMER, MessageRole.MEMBER) or row.turn_id in ended
    ]


def _counters(rows: Sequence[Message]) -> dict[str, Any]:
    """What the talk's own row repeats of its lines."""
    said = [row for row in rows if row.was_said]
    asked = max((row.seq for row in said if row.role == MessageRole.CUSTOMER), default=0)
    answers = [row for row in said if row.role != MessageRole.CUSTOMER]
    # An answer of the agent covers what its turn had seen; a member's covers all before it.
    answered = max(
        (row.saw_seq or row.seq if row.role == MessageRole.AGENT else row.seq for row in answers),
        default=0,
    )
    return {
        "last_seq": rows[-1].seq,
        "message_count": len(said),
        "last_message_at": said[-1].created_at,
        "last_message_by": said[-1].role,
        "last_message_preview": transcript.preview(said[-1].text),
        "customer_seq": asked,
        "answered_seq": answered,
        "waiting_since": Now() if asked > answered else None,
    }


def _copy(row: Message, talk: Conversation) -> Message:
    values = {name: getattr(row, name) for name in _COPIED}
    return Message(id=new_id(), conversation=talk, **values)
