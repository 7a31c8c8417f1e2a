"""What is said: posting, replying, noting. Every post is idempotent by its client_key."""

from collections.abc import Collection
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from conversations import live, transcript
from conversations.access import staged_files
from conversations.hooks import customer_message_posted, handler_changed
from conversations.models import (
    Attachment,
    Author,
    Conversation,
    Customer,
    Draft,
    Event,
    Handler,
    Message,
    MessageRole,
    Note,
    Status,
)
from conversations.selectors.files import Files, files_of
from conversations.services.control import ConversationClosed
from conversations.services.files import Bringer, check_number, send_along, words_beside
from conversations.services.lifecycle import reopen_for_customer
from conversations.services.timeline import By, lock, next_seq, record_event
from conversations.transcript import NewRow
from tenants.errors import Conflict, NotFound
from tenants.models import AgentMode, Member, Tenant
from tenants.scoping import current_tenant_id
from tenants.text import clean_text, is_blank

# What the append has written on the talk's row.
LIST_FIELDS = [
    "last_seq", "message_count", "last_message_at", "last_message_by", "last_message_preview",
    "customer_seq", "answered_seq", "waiting_since", "unread_count",
]  # fmt: skip


class ClientKeyReused(Conflict):
    """The same key with other words or files: one of the two would be lost."""

    code = "client_key_reused"
    detail = "This client_key was used for another text. Make a new key for a new message."


class NewerMessages(Conflict):
    """Something was said since the member looked; `extra["newest_seq"]` is what to have seen."""

    code = "newer_messages"
    detail = "New messages came in while you were writing. Read them, then send again."


class Posted(NamedTuple):
    """A stored message; `created` is False when the same post came again."""

    conversation: Conversation
    message: Message
    created: bool
    files: Files = MappingProxyType({})


class _Words(NamedTuple):
    """What a person posts. Without words the files' names stand for them."""

    text: str
    files: tuple[UUID, ...]


class Written(NamedTuple):
    """What a member's words began as: the turn that drafted them, and what they rest on."""

    turn_id: UUID
    sources: list[dict[str, Any]] | None = None


@transaction.atomic
def start_conversation(
    customer: Customer,
    *,
    client_key: UUID,
    text: str,
    locale: str = "",
    attachments: Collection[UUID] = (),
) -> Posted:
    """The first message of a new talk. The same key again gives the same talk."""
    words = _words_of(text, attachments)
    # The customer's lock makes ten first clicks in parallel one conversation.
    Customer.objects.select_for_update(no_key=True).get(pk=customer.pk)
    repeated = _repeated(Message.objects.filter(customer=customer, client_key=client_key), words)
    if repeated:
        return repeated
    tenant = Tenant.objects.get(pk=current_tenant_id())
    handler = Handler.AGENT if tenant.agent_mode == AgentMode.AUTO else Handler.TEAM
    conversation = Conversation.objects.create(
        customer=customer, handler=handler, locale=locale or customer.locale or tenant.locale
    )
    return _store_customer_message(conversation, customer, words, client_key=client_key)


@transaction.atomic
def post_customer_message(
    conversation: Conversation,
    *,
    customer: Customer,
    client_key: UUID,
    text: str,
    attachments: Collection[UUID] = (),
) -> Posted:
    """One more line of the customer; a resolved or snoozed talk opens again."""
    words = _words_of(text, attachments)
    row = lock(conversation.id)
    repeated = _repeated(Message.objects.filter(customer=customer, client_key=client_key), words)
    if repeated:
        if repeated.conversation.id != row.id:
            raise ClientKeyReused
        return repeated
    if not row.can_write:
        raise ConversationClosed
    reopen_for_customer(row, by=By.customer(customer))
    return _store_customer_message(row, customer, words, client_key=client_key)


@transaction.atomic
def post_reply(
    conversation: Conversation,
    *,
    by: Member,
    client_key: UUID,
    text: str,
    seen_seq: int | None = None,
    attachments: Collection[UUID] = (),
) -> Posted:
    """A member's answer, which is a takeover. Stops once when something newer was said."""
    line = NewRow(MessageRole.MEMBER, author_name=by.name, member_id=by.id, client_key=client_key)
    words = _words_of(text, attachments)
    return _reply(conversation, line, words, by=by, seen_seq=seen_seq)


@transaction.atomic
def post_drafted_reply(
    conversation: Conversation, *, by: Member, client_key: UUID, text: str, written: Written
) -> Posted:
    """The same for words that the agent drafted.

    Members see that it did; the customer reads the member's name.
    """
    line = NewRow(
        MessageRole.MEMBER,
        sources=written.sources,
        author_name=by.name,
        turn_id=written.turn_id,
        member_id=by.id,
        client_key=client_key,
    )
    return _reply(conversation, line, _words_of(text, ()), by=by)


def _reply(
    conversation: Conversation,
    line: NewRow,
    words: _Words,
    *,
    by: Member,
    seen_seq: int | None = None,
) -> Posted:
    row = lock(conversation.id)
    same = Message.objects.filter(member=by, client_key=line.client_key)
    repeated = _repeated(same, words)
    if repeated:
        if repeated.conversation.id != row.id:
            raise ClientKeyReused
        return repeated._replace(conversation=row)
    if seen_seq is not None:
        _refuse_stale(row, seen_seq=seen_seq, by=by)
    if row.handler == Handler.AGENT or row.assignee_id is None:
        row.handler, row.assignee = Handler.TEAM, by
        row.save(update_fields=["handler", "assignee"])
        record_event(row, Event.Kind.TAKEN_OVER, by=By.member(by), name=by.name)
        handler_changed.send(Conversation, conversation=row, cause=Event.Kind.TAKEN_OVER)
    if row.status != Status.OPEN:
        reopen_for_customer(row, by=By.member(by))
    posted = _append_one(row, line, words, by=by)
    Draft.stored.filter(conversation=row, member=by, mode=Draft.Mode.REPLY).delete()
    return posted


@transaction.atomic
def add_note(
    conversation: Conversation, *, by: Member, text: str, client_key: UUID | None = None
) -> Note:
    """A private remark: no customer sees it, no turn starts from it, no model reads it."""
    text = clean_text(text)
    row = lock(conversation.id)
    if client_key is not None:
        same = Note.objects.filter(member=by, client_key=client_key).first()
        if same is not None:
            if (same.text, same.conversation_id) != (text, row.id):
                raise ClientKeyReused
            return same
    note = Note.objects.create(
        conversation=row,
        seq=next_seq(row),
        member=by,
        author_name=by.name,
        text=text,
        client_key=client_key,
    )
    Draft.stored.filter(conversation=row, member=by, mode=Draft.Mode.NOTE).delete()
    live.ring(row.id, "lines")
    return note


def _store_customer_message(
    conversation: Conversation, customer: Customer, words: _Words, *, client_key: UUID
) -> Posted:
    line = NewRow(
        MessageRole.CUSTOMER,
        author_name=customer.name,
        customer_id=customer.id,
        client_key=client_key,
    )
    posted = _append_one(conversation, line, words, by=customer)
    customer_message_posted.send(Conversation, conversation=conversation, message=posted.message)
    return posted


def _append_one(conversation: Conversation, line: NewRow, words: _Words, *, by: Bringer) -> Posted:
    files = staged_files(by, words.files)
    line = replace(line, text=words.text or words_beside(files))
    author = Author.CUSTOMER if isinstance(by, Customer) else Author.MEMBER
    appended = transcript.append(conversation.id, [line], by=author)
    if appended is None:
        raise NotFound
    if files:
        send_along(conversation, appended.last_seq, words.files, by=by)
    conversation.refresh_from_db(fields=LIST_FIELDS)
    live.ring(conversation.id, "lines")
    message = Message.objects.get(pk=appended.ids[0])
    sent = {message.seq: [_sent(file, conversation, message.seq) for file in files]}
    return Posted(conversation, message, created=True, files=sent)


def _sent(file: Attachment, conversation: Conversation, seq: int) -> Attachment:
    file.conversation, file.seq = conversation, seq
    return file


def _words_of(text: str, files: Collection[UUID]) -> _Words:
    check_number(files)
    alone = bool(files) and is_blank(text)
    return _Words("" if alone else clean_text(text), tuple(dict.fromkeys(files)))


def _repeated(rows: QuerySet[Message], words: _Words) -> Posted | None:
    """The earlier post with this key, or None; other words or files under it are refused."""
    same = rows.select_related("conversation").first()
    if same is None:
        return None
    files = files_of(same.conversation_id, [same.seq])
    beside = files.get(same.seq, [])
    if {file.pk for file in beside} != set(words.files):
        raise ClientKeyReused
    # An edit or a redaction since then does not make the repeated click a new one.
    if same.edited_at is None and same.text != (words.text or words_beside(beside)):
        raise ClientKeyReused
    return Posted(same.conversation, same, created=False, files=files)


def _refuse_stale(row: Conversation, *, seen_seq: int, by: Member) -> None:
    newer = (
        Message.objects.filter(conversation=row, seq__gt=seen_seq)
        .exclude(text="")
        .exclude(role=MessageRole.TOOL)
        .exclude(member=by)
        .order_by("seq")
    )
    lines = [
        {"id": str(line.id), "seq": line.seq, "author": line.author_name, "text": line.text}
        for line in newer[:50]
    ]
    if lines:
        raise NewerMessages(extra={"messages": lines, "newest_seq": lines[-1]["seq"]})
