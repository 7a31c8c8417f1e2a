"""The JSON of the HTTP contract: how lines, states and conversations look to programs."""

from collections.abc import Collection, Sequence
from types import MappingProxyType
from typing import Any, TypedDict
from uuid import UUID

from conversations.file_links import link_to
from conversations.markup import to_html
from conversations.models import (
    Attachment,
    Conversation,
    ConversationLabel,
    Customer,
    Event,
    Message,
    MessageRole,
    Note,
)
from conversations.selectors.files import Files
from conversations.selectors.lines import ConversationState, Line
from tenants.models import Tenant

_NO_FILES: Files = MappingProxyType({})


class AuthorJson(TypedDict):
    """Who said it."""

    kind: str
    name: str


def line_json(
    line: Line, tenant: Tenant, *, private: bool, files: Files = _NO_FILES
) -> dict[str, Any]:
    """A message, note or event. Without `private` an event tells its public line and no more."""
    if isinstance(line, Message):
        shape = message_json if private else own_message_json
        return shape(line, tenant, files)
    if isinstance(line, Note):
        return note_json(line)
    return member_event_json(line) if private else event_json(line)


def message_json(line: Message, tenant: Tenant, files: Files = _NO_FILES) -> dict[str, Any]:
    written_by_model = line.role == MessageRole.AGENT
    text = _words(line, files.get(line.seq, ()))
    return {
        "kind": "message",
        "id": line.id,
        "seq": line.seq,
        "author": AuthorJson(kind=line.role, name=line.author_name),
        "text": text,
        "html": to_html(text, link_hosts=tenant.link_hosts if written_by_model else None),
        "attachments": [file_json(file) for file in files.get(line.seq, ())],
        "sources": [_source(source) for source in line.sources or ()],
        "created_at": line.created_at,
        "edited": line.edited_at is not None,
        "superseded": line.superseded_at is not None,
    }


def _words(line: Message, files: Sequence[Attachment]) -> str:
    """Its words; where they are the files' names and no more, as those may be read now."""
    if files and line.text == ", ".join(file.name for file in files):
        return ", ".join(file.shown_name for file in files)
    return line.text


def own_message_json(line: Message, tenant: Tenant, files: Files = _NO_FILES) -> dict[str, Any]:
    """For the customer: with the key of the post, null for what others said."""
    shown = message_json(line, tenant, files) | {"client_key": _key_of_customer(line)}
    # Told so that it can be taken off the page: of its words nothing goes along.
    return shown | {"text": "", "html": "", "sources": []} if line.superseded_at else shown


def file_json(file: Attachment) -> dict[str, Any]:
    """A file. Its addresses hold for an hour or two; it has none before it is sent."""
    gone = file.is_removed
    open_to_see = file.conversation_id is not None and not gone
    return {
        "id": file.id,
        "name": file.shown_name,
        "media_type": file.media_type,
        "size": file.size,
        "width": file.width,
        "height": file.height,
        "url": link_to(file, "full") if open_to_see else None,
        "preview_url": link_to(file, "preview") if open_to_see and file.is_image else None,
        "removed": gone,
    }


def _key_of_customer(line: Message) -> UUID | None:
    return line.client_key if line.role == MessageRole.CUSTOMER else None


def note_json(line: Note) -> dict[str, Any]:
    return {
        "kind": "note",
        "id": line.id,
        "seq": line.seq,
        "author": AuthorJson(kind="member", name=line.author_name),
        "text": line.text,
        "html": to_html(line.text),
        "created_at": line.created_at,
    }


def event_json(line: Event) -> dict[str, Any]:
    return {
        "kind": "event",
        "id": line.id,
        "seq": line.seq,
        "event": line.kind,
        "line": line.line,
        "created_at": line.created_at,
    }


def member_event_json(line: Event) -> dict[str, Any]:
    by = AuthorJson(kind=line.by_kind, name=line.by_name)
    return event_json(line) | {"public": line.public, "by": by, "detail": line.detail}


def _source(source: dict[str, Any]) -> dict[str, Any]:
    return {key: source[key] for key in ("title", "url", "heading", "article") if key in source}


def state_json(state: ConversationState) -> dict[str, Any]:
    return {
        "status": state.status,
        "handler": state.handler,
        "assignee_name": state.assignee_name,
        "agent_typing": state.agent_typing,
        "can_write": state.can_write,
    }


def own_conversation_json(conversation: Conversation) -> dict[str, Any]:
    """For its customer: nothing that members keep to themselves."""
    return {
        "id": conversation.id,
        "status": conversation.status,
        "handler": conversation.handler,
        "last_message_at": conversation.last_message_at,
        "last_message_by": conversation.last_message_by,
        "last_message_preview": conversation.last_message_preview,
        "can_write": conversation.can_write,
        "created_at": conversation.created_at,
    }


def summary_json(conversation: Conversation, labels: Collection[str]) -> dict[str, Any]:
    """A row of the inbox; wants customer, assignee and stage at hand."""
    assignee, stage = conversation.assignee, conversation.stage
    return {
        "id": conversation.id,
        "title": conversation.title,
        "status": conversation.status,
        "handler": conversation.handler,
        "assignee": {"id": assignee.id, "name": assignee.name} if assignee else None,
        "stage": stage.name if stage else None,
        "labels": sorted(labels),
        "customer": {"id": conversation.customer_id, "name": conversation.customer.name},
        "unread_count": conversation.unread_count,
        "message_count": conversation.message_count,
        "last_seq": conversation.last_seq,
        "last_message_at": conversation.last_message_at,
        "last_message_by": conversation.last_message_by,
        "last_message_preview": conversation.last_message_preview,
        "waiting_since": conversation.waiting_since,
        "snoozed_until": conversation.snoozed_until,
        "approval_pending": conversation.approval_pending,
        "created_at": conversation.created_at,
    }


def detail_json(conversation: Conversation, labels: Collection[str]) -> dict[str, Any]:
    return summary_json(conversation, labels) | {
        "mode": conversation.mode,
        "title_by": conversation.title_by,
        "stage_by": conversation.stage_by,
        "stage_reason": conversation.stage_reason,
        "dossier": conversation.dossier,
        "triage": conversation.triage,
        "summary": conversation.summary,
        "locale": conversation.locale,
        "resolved_at": conversation.resolved_at,
        "can_write": conversation.can_write,
        "usage": {
            "input_tokens": conversation.input_tokens,
            "output_tokens": conversation.output_tokens,
            "cost": str(conversation.cost),
        },
    }


def labels_of(conversations: Collection[Conversation]) -> dict[UUID, list[str]]:
    """The labels of a page of conversations, in one statement."""
    found: dict[UUID, list[str]] = {conversation.id: [] for conversation in conversations}
    rows = ConversationLabel.objects.filter(conversation__in=found)
    for conversation_id, name in rows.values_list("conversation_id", "label__name"):
        found[conversation_id].append(name)
    return found


def customer_json(customer: Customer, *, verified: bool) -> dict[str, Any]:
    return {
        "id": customer.id,
        "name": customer.name,
        "email": customer.email,
        "email_verified": customer.email_verified,
        "verified": verified,
        "locale": customer.locale,
        "attributes": customer.attributes,
        "last_seen_at": customer.last_seen_at,
        "created_at": customer.created_at,
    }
