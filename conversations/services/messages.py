"""What is said: posting, replying, noting. Every post is idempotent by its client_key."""

from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction

from conversations import live, transcript
from conversations.hooks import customer_message_posted, handler_changed
from conversations.models import (
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
from conversations.services.control import ConversationClosed
from conversations.services.lifecycle import reopen_for_customer
from conversations.services.timeline import By, lock, next_seq, record_event
from conversations.transcript import NewRow
from tenants.errors import Conflict, NotFound
from tenants.models import AgentMode, Member, Tenant
from tenants.scoping import current_tenant_id
from tenants.text import clean_text

# What the append has written on the talk's row.
LIST_FIELDS = [
    "last_seq", "message_count", "last_message_at", "last_message_by", "last_message_preview",
    "customer_seq", "answered_seq", "waiting_since", "unread_count",
]  # fmt: skip


class ClientKeyReused(Conflict):
    """The same key with other words: one of the two would be lost."""

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


class Written(NamedTuple):
    """What a member's words began as: the turn that drafted them, and what they rest on."""

    turn_id: UUID
    sources: list[dict[str, Any]] | None = None


@transaction.atomic
def start_conversation(
    customer: Customer, *, client_key: UUID, text: str, locale: str = ""
) -> Posted:
    """The first message of a new talk. The same key again gives the same talk."""
    text = clean_text(text)
    # The customer's lock makes ten first clicks in parallel one conversation.
    Customer.objects.select_for_update(no_key=True).get(pk=customer.pk)
    repeated = _repeated(customer, client_key=client_key, text=text)
    if repeated:
        return repeated
    tenant = Tenant.objects.get(pk=current_tenant_id())
    handler = Handler.AGENT if tenant.agent_mode == AgentMode.AUTO else Handler.TEAM
    conversation = Conversation.objects.create(
        customer=customer, handler=handler, locale=locale or customer.locale or tenant.locale
    )
    return _store_customer_message(conversation, customer, client_key=client_key, text=text)


@transaction.atomic
def post_customer_message(
    conversation: Conversation, *, customer: Customer, client_key: UUID, text: str
) -> Posted:
    """One more line of the customer; a resolved or snoozed talk opens again."""
    text = clean_text(text)
    row = lock(conversation.id)
    repeated = _repeated(customer, client_key=client_key, text=text)
    if repeated:
        if repeated.conversation.id != row.id:
            raise ClientKeyReused
        return repeated
    if not row.can_write:
        raise ConversationClosed
    reopen_for_customer(row, by=By.customer(customer))
    return _store_customer_message(row, customer, client_key=client_key, text=text)


@transaction.atomic
def post_reply(
    conversation: Conversation,
    *,
    by: Member,
    client_key: UUID,
    text: str,
    seen_seq: int | None = None,
    written: Written | None = None,
) -> Posted:
    """A member's answer, which is a takeover. Stops once when something newer was said.

    `written` says for members that the agent drafted it; the customer reads the member's name.
    """
    text = clean_text(text)
    row = lock(conversation.id)
    repeated = _repeated_reply(row, by=by, client_key=client_key, text=text)
    if repeated:
        return repeated
    if seen_seq is not None:
        _refuse_stale(row, seen_seq=seen_seq, by=by)
    if row.handler == Handler.AGENT or row.assignee_id is None:
        row.handler, row.assignee = Handler.TEAM, by
        row.save(update_fields=["handler", "assignee"])
        record_event(row, Event.Kind.TAKEN_OVER, by=By.member(by), name=by.name)
        handler_changed.send(Conversation, conversation=row, cause=Event.Kind.TAKEN_OVER)
    if row.status != Status.OPEN:
        reopen_for_customer(row, by=By.member(by))
    line = NewRow(
        MessageRole.MEMBER,
        text,
        sources=written.sources if written else None,
        author_name=by.name,
        turn_id=written.turn_id if written else None,
        member_id=by.id,
        client_key=client_key,
    )
    message = _append_one(row, line, author=Author.MEMBER)
    Draft.stored.filter(conversation=row, member=by, mode=Draft.Mode.REPLY).delete()
    return Posted(row, message, created=True)


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
    conversation: Conversation, customer: Customer, *, client_key: UUID, text: str
) -> Posted:
    line = NewRow(
        MessageRole.CUSTOMER,
        text,
        author_name=customer.name,
        customer_id=customer.id,
        client_key=client_key,
    )
    message = _append_one(conversation, line, author=Author.CUSTOMER)
    customer_message_posted.send(Conversation, conversation=conversation, message=message)
    return Posted(conversation, message, created=True)


def _append_one(conversation: Conversation, line: NewRow, *, author: Author) -> Message:
    appended = transcript.append(conversation.id, [line], by=author)
    if appended is None:
        raise NotFound
    conversation.refresh_from_db(fields=LIST_FIELDS)
    live.ring(conversation.id, "lines")
    return Message.objects.get(pk=appended.ids[0])


def _repeated(customer: Customer, *, client_key: UUID, text: str) -> Posted | None:
    """The earlier post with this key, or None; other words under the same key are refused."""
    same = (
        Message.objects.filter(customer=customer, client_key=client_key)
        .select_related("conversation")
        .first()
    )
    if same is None:
        return None
    # An edit or a redaction since then does not make the repeated click a new one.
    if same.text != text and same.edited_at is None:
        raise ClientKeyReused
    return Posted(same.conversation, same, created=False)


def _repeated_reply(row: Conversation, *, by: Member, client_key: UUID, text: str) -> Posted | None:
    same = Message.objects.filter(member=by, client_key=client_key).first()
    if same is None:
        return None
    if same.conversation_id != row.id or (same.text != text and same.edited_at is None):
        raise ClientKeyReused
    return Posted(row, same, created=False)


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
