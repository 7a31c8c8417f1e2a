"""What the desk holds of one customer, as rows for an export; others are masked.

Everything is read in batches, so that a customer with a hundred thousand messages fits.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from conversations.hooks import Rows, own_data_above
from conversations.models import (
    Conversation,
    ConversationLabel,
    Customer,
    CustomerIdentity,
    Event,
    Message,
    MessageEdit,
    MessageRole,
    Note,
    Rating,
    Summary,
    WidgetToken,
)
from conversations.selectors.export_subject import Subject
from conversations.selectors.files import files_of
from conversations.selectors.own_files import attachments
from tenants.models import Actor

BATCH = 1000


def files(subject: Subject) -> dict[str, Callable[[], Rows]]:
    """The files of an export by name, each with its rows, read when asked for."""
    own: dict[str, Callable[[Subject], Rows]] = {
        "profile": _profile,
        "identities": _identities,
        "sessions": _sessions,
        "conversations": _conversations,
        "messages": _messages,
        "attachments": attachments,
        "summaries": _summaries,
        "earlier_words": _earlier_words,
        "events": _events,
        "ratings": _ratings,
    }
    if subject.notes:
        own["notes"] = _notes
    above = own_data_above()
    return {name: _bind(rows, subject) for name, rows in own.items()} | {
        name: _bind(rows, subject.customer.id) for name, rows in above.items()
    }


def left_out(subject: Subject) -> dict[str, str]:
    """What an export does not hold, and why; part of its manifest."""
    never = {
        "drafts": "Unsent words of the team; they were never said.",
        "audit": "The record of acts; it holds pseudonyms only.",
        "secrets": "Session tokens and keys.",
    }
    return never if subject.notes else never | {"notes": "Private remarks of the team."}


def estimate(customer: Customer) -> int:
    """About how many rows there will be, for the progress."""
    talks = Conversation.objects.filter(customer=customer)
    lines = sum(talks.values_list("last_seq", flat=True))
    return 3 + lines + len(talks)


def _bind(rows: Callable[[Any], Rows], value: Any) -> Callable[[], Rows]:
    return lambda: rows(value)


def _profile(subject: Subject) -> Rows:
    for row in Customer.objects.filter(subject.everyone).order_by("created_at"):
        yield {
            "id": row.id,
            "name": row.name,
            "email": row.email,
            "email_verified": row.email_verified,
            "locale": row.locale,
            "attributes": row.attributes,
            "created_at": row.created_at,
            "last_seen_at": row.last_seen_at,
            "merged_into": row.merged_into_id,
        }


def _identities(subject: Subject) -> Rows:
    for row in CustomerIdentity.objects.filter(customer=subject.customer).order_by("id"):
        yield {"subject": row.subject, "verified_at": row.verified_at}


def _sessions(subject: Subject) -> Rows:
    for row in WidgetToken.objects.filter(customer=subject.customer).order_by("id"):
        yield {
            "created_at": row.created_at,
            "verified": row.verified,
            "expires_at": row.expires_at,
            "revoked_at": row.revoked_at,
        }


def _conversations(subject: Subject) -> Rows:
    for talk in subject.talks.select_related("stage").order_by("id").iterator(BATCH):
        labels = ConversationLabel.objects.filter(conversation=talk).select_related("label")
        yield {
            "id": talk.id,
            "created_at": talk.created_at,
            "status": talk.status,
            "resolved_at": talk.resolved_at,
            "title": talk.title,
            "stage": talk.stage.name if talk.stage else None,
            "labels": sorted(row.label.name for row in labels),
            "dossier": talk.dossier,
            "summary": talk.summary,
            "locale": talk.locale,
            "message_count": talk.message_count,
        }


def _messages(subject: Subject) -> Rows:
    said = Message.objects.filter(conversation__in=subject.talks).exclude(text="")
    said = said.exclude(role=MessageRole.TOOL).order_by("conversation_id", "seq")
    for row in said.iterator(BATCH):
        yield message(row, subject)


def message(row: Message, subject: Subject) -> dict[str, Any]:
    """One message as the subject may have it: words of another customer are not theirs."""
    foreign = row.customer_id not in (None, subject.customer.id)
    return {
        "conversation": row.conversation_id,
        "seq": row.seq,
        "created_at": row.created_at,
        "author": row.role,
        "name": "" if foreign else _author(row, subject),
        "text": None if foreign else row.text,
        "edited_at": row.edited_at,
        "taken_back_at": row.superseded_at,
    }


def _author(row: Message, subject: Subject) -> str:
    if row.role == MessageRole.CUSTOMER:
        # Empty for the name that stands in the profile: it is said once.
        return "" if row.author_name == subject.customer.name else row.author_name
    if row.role == MessageRole.AGENT:
        return subject.masks.agent_name
    return subject.masks.member(row.member_id or row.author_name)


def _summaries(subject: Subject) -> Rows:
    """What the agent made of longer talks, for itself."""
    rows = Summary.objects.filter(conversation__in=subject.talks)
    for row in rows.order_by("conversation_id", "seq").iterator(BATCH):
        yield {"conversation": row.conversation_id, "up_to": row.seq, "text": row.text}


def _earlier_words(subject: Subject) -> Rows:
    edits = MessageEdit.objects.filter(conversation__in=subject.talks)
    for row in edits.order_by("conversation_id", "seq", "id").iterator(BATCH):
        yield {
            "conversation": row.conversation_id,
            "seq": row.seq,
            "text": row.text,
            "until": row.created_at,
        }


def _events(subject: Subject) -> Rows:
    """The lines that the customer has read, with the names in them masked."""
    shown = Event.objects.filter(conversation__in=subject.talks, public=True)
    for row in shown.order_by("conversation_id", "seq").iterator(BATCH):
        yield {
            "conversation": row.conversation_id,
            "seq": row.seq,
            "created_at": row.created_at,
            "event": row.kind,
            "line": _masked(row, subject),
        }


def _masked(row: Event, subject: Subject) -> str:
    if row.by_kind != Actor.MEMBER or not row.by_name:
        return row.line
    return row.line.replace(row.by_name, subject.masks.member(row.by_id or row.by_name))


def _ratings(subject: Subject) -> Rows:
    ratings = Rating.objects.filter(conversation__in=subject.talks)
    for row in ratings.order_by("id").iterator(BATCH):
        yield {
            "conversation": row.conversation_id,
            "score": row.score,
            "comment": row.comment,
            "created_at": row.created_at,
        }


def _notes(subject: Subject) -> Rows:
    notes = Note.objects.filter(conversation__in=subject.talks)
    for row in notes.order_by("conversation_id", "seq").iterator(BATCH):
        yield {
            "conversation": row.conversation_id,
            "seq": row.seq,
            "created_at": row.created_at,
            "name": subject.masks.member(row.member_id or row.author_name),
            "text": row.text,
        }


def talk_with_lines(subject: Subject) -> Iterator[tuple[Conversation, Iterator[dict[str, Any]]]]:
    """Each conversation with its messages and their files, for the page that people read."""
    for talk in subject.talks.order_by("id").iterator(BATCH):
        yield talk, _with_files(talk, subject)


def _with_files(talk: Conversation, subject: Subject) -> Iterator[dict[str, Any]]:
    said = Message.objects.filter(conversation=talk).exclude(text="")
    said = said.exclude(role=MessageRole.TOOL).order_by("seq")
    lines = said.iterator(BATCH)
    while rows := list(islice(lines, BATCH)):
        beside = files_of(talk.id, [row.seq for row in rows])
        for row in rows:
            yield message(row, subject) | {"files": beside.get(row.seq, [])}
