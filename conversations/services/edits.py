"""New words for what was said: edited with a history, or blacked out for good."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from conversations import live, transcript
from conversations.hooks import message_changed
from conversations.models import Attachment, Conversation, Message, MessageEdit, MessageRole
from conversations.selectors.files import message_of
from conversations.selectors.holds import held
from conversations.services import exports
from conversations.services.file_removal import take_out
from conversations.services.insights import forget_made_of
from conversations.services.privacy_guards import UnderHold
from conversations.services.timeline import lock
from tenants.errors import Conflict, InvalidInput, NotFound
from tenants.models import Member
from tenants.services import audit
from tenants.text import clean_text

REDACTED = "█"
ANY = object()


class MessageChanged(Conflict):
    """Two people change one message: the second must see the first one's words."""

    code = "message_changed"
    detail = "Somebody changed this message meanwhile. Read the new words, then change them."


@transaction.atomic
def edit_message(message: Message, *, by: Member, text: str, seen: object = ANY) -> Message:
    """New words for a message; the old ones are kept, everyone and the model read the new ones.

    `seen` is the `edited_at` that the member's page showed; a later change is refused.
    """
    text = clean_text(text)
    row = _locked(message)
    if seen is not ANY and message.edited_at != seen:
        raise MessageChanged
    if message.text == text:
        return message
    MessageEdit.objects.create(conversation=row, seq=message.seq, text=message.text, by=by)
    return _store(row, message, text=text)


@transaction.atomic
def redact_message(message: Message, *, by: Member, start: int, end: int) -> Message:
    """Black out `text[start:end]` for good: the old words are kept nowhere."""
    row = _locked(message)
    if not 0 <= start < end <= len(message.text):
        raise InvalidInput(
            errors={"end": [f"Give 0 ≤ start < end ≤ {len(message.text)} (characters)."]}
        )
    text = message.text[:start] + REDACTED * (end - start) + message.text[end:]
    return _black_out(row, message, by=by, text=text)


@transaction.atomic
def redact_words(message: Message, *, by: Member, words: str) -> Message:
    """Black out these words wherever they stand in the message, for good."""
    row = _locked(message)
    words = words.strip()
    if not words or words not in message.text:
        raise InvalidInput(errors={"words": ["Give words exactly as they stand in the message."]})
    text = message.text.replace(words, REDACTED * len(words))
    return _black_out(row, message, by=by, text=text)


@transaction.atomic
def redact_file(file: Attachment, *, by: Member) -> Attachment:
    """Take a sent file out for good: bytes, small picture, name, print. Idempotent.

    So goes every copy of the same bytes in the customer's conversations: a conversation that was
    forked has its own; and copies of the customer's data end. What a legal hold keeps is refused.
    """
    talks = _lock_copies(file)
    file.refresh_from_db(from_queryset=Attachment.stored.all())
    if file.redacted_at is not None:
        return file
    if held(list(talks)):
        raise UnderHold("A legal hold keeps this conversation's files. Ask a privacy officer.")
    copies = list(_copies(file).filter(conversation__in=list(talks)))
    take_out(copies)
    for copy in copies:
        conversation_id, seq = copy.line
        row = talks[conversation_id]
        audit.record("file.redacted", by=by, target=row, detail={"seq": seq})
        _store(row, message_of(copy))
    exports.end_for_redaction(talks[file.line[0]].customer_id)
    file.refresh_from_db()
    return file


def _lock_copies(file: Attachment) -> dict[UUID, Conversation]:
    """The conversations that have it, in the order of their ids, as all locks are taken."""
    talks = Conversation.objects.filter(pk__in=_copies(file).values("conversation"))
    ids = {file.line[0], *talks.values_list("pk", flat=True)}
    return {pk: lock(pk) for pk in sorted(ids)}


def _copies(file: Attachment) -> QuerySet[Attachment]:
    """The same bytes beside other lines of the customer's conversations, and itself."""
    talk = Conversation.objects.filter(pk=file.line[0])
    theirs = Conversation.objects.filter(customer__in=talk.values("customer"))
    same = Q(sha256=file.sha256, conversation__in=theirs) & ~Q(sha256="")
    return Attachment.stored.filter(same | Q(pk=file.pk), redacted_at__isnull=True)


def _locked(message: Message) -> Conversation:
    row = lock(message.conversation_id)
    message.refresh_from_db()
    if not message.was_said:
        raise NotFound
    return row


def _black_out(row: Conversation, message: Message, *, by: Member, text: str) -> Message:
    """Without the history, and without the model's sealed thoughts, which may repeat the words."""
    MessageEdit.objects.filter(conversation=row, seq=message.seq).delete()
    audit.record("message.redacted", by=by, target=row, detail={"seq": message.seq})
    kept = [part for part in message.parts or [] if part.get("type") not in _WORDS]
    return _store(row, message, text=text, parts=kept or None)


_WORDS = frozenset({"text", "text_reasoning"})


def _store(row: Conversation, message: Message, **changes: Any) -> Message:
    for name, value in changes.items():
        setattr(message, name, value)
    message.edited_at = Now()
    message.save(update_fields=[*changes, "edited_at"])
    message.refresh_from_db()
    if _newest(row) == message.pk:
        row.last_message_preview = transcript.preview(message.text)
        row.save(update_fields=["last_message_preview"])
    forget_made_of(row, message)
    live.ring(row.id, "edited")
    message_changed.send(Conversation, conversation=row, message=message)
    return message


def _newest(row: Conversation) -> Any:
    said = Message.objects.filter(conversation=row, superseded_at__isnull=True)
    said = said.exclude(text="").exclude(role=MessageRole.TOOL)
    return said.order_by("-seq").values_list("pk", flat=True).first()
