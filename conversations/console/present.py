"""Rows as the templates show them: cards, headers, lines."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from conversations.console.events import event_text
from conversations.console.file_rows import tiles
from conversations.markup import may_link, to_html
from conversations.models import Conversation, Customer, Event, Message, MessageRole, Note
from conversations.selectors.files import Files
from conversations.selectors.lines import Line
from conversations.services.edits import REDACTED
from tenants.models import AgentMode, Member, Tenant

Context = dict[str, Any]
_NO_FILES: Files = MappingProxyType({})
_FORKS = (Event.Kind.FORKED, Event.Kind.FORKED_FROM)
# Lines of one author that follow each other this quickly stand under one name.
_GROUP = timedelta(minutes=5)
# What of the triage a teammate should not overlook.
_LOUD = frozenset({"annoyed", "angry", "high"})


def card(conversation: Conversation) -> Context:
    """A row of the inbox, and the head of the open talk."""
    return {
        "id": conversation.id,
        "title": conversation.title,
        "status": conversation.status,
        "handler": conversation.handler,
        "assignee": person(conversation.assignee),
        "stage": conversation.stage,
        "customer": customer(conversation),
        "last_message_preview": conversation.last_message_preview,
        "last_message_kind": conversation.last_message_by,
        "last_message_at": conversation.last_message_at or conversation.created_at,
        "waiting_since": conversation.waiting_since,
        "unread_count": conversation.unread_count,
        "approval_pending": conversation.approval_pending,
        "snoozed_until": conversation.snoozed_until,
    }


def talk(conversation: Conversation) -> Context:
    """A link to another talk."""
    return {
        "id": conversation.id,
        "title": conversation.title or conversation.last_message_preview or _("No title yet"),
        "last_message_at": conversation.last_message_at or conversation.created_at,
    }


def customer(conversation: Conversation) -> Context:
    row = conversation.customer
    name = customer_name(row)
    return {
        "id": row.id,
        "name": name,
        "initials": initials(name),
        "email": row.email,
        "verified": conversation.customer_is_verified,
        "first_seen_at": row.created_at,
    }


def customer_name(row: Customer) -> str:
    return row.name or row.email or _("Visitor")


def person(member: Member | None) -> Context | None:
    if member is None:
        return None
    return {"id": member.id, "name": member.name, "initials": member.initials}


def initials(name: str) -> str:
    words = [word for word in name.split() if word[0].isalnum()]
    return "".join(word[0] for word in (words[:1] + words[1:][-1:])).upper()


def triage(conversation: Conversation) -> list[Context]:
    """How the customer writes, as the agent noted it: only what it could tell."""
    found, shown = conversation.triage, []
    names = {"language": _("Language"), "mood": _("Mood"), "urgency": _("Urgency")}
    for name, label in names.items():
        value = str(found.get(name, ""))
        if value:
            shown.append({"label": label, "value": value, "loud": value in _LOUD})
    if found.get("wants_person"):
        shown.append({"label": _("Wants"), "value": _("a person"), "loud": True})
    return shown


def agent_answers(conversation: Conversation, tenant: Tenant) -> bool:
    """Whether a hand-back would be accepted."""
    return (conversation.mode or tenant.agent_mode) == AgentMode.AUTO


def modes(tenant: Tenant) -> list[tuple[str, str]]:
    """What the agent can be told to do in one talk."""
    names = {
        AgentMode.AUTO.value: _("answers by itself"),
        AgentMode.DRAFT.value: _("writes drafts for the team"),
        AgentMode.OFF.value: _("does nothing"),
    }
    usual = _("as in the settings: {what}").format(what=names[tenant.agent_mode])
    return [("", usual), *names.items()]


def items(
    lines: Sequence[Line],
    tenant: Tenant,
    *,
    before: Line | None = None,
    unread: int = 0,
    files: Files = _NO_FILES,
) -> list[Context]:
    """Lines in `seq` order; `before` is the line above the first, `unread` counts from the end."""
    shown: list[Context] = []
    first_unread = _first_unread(lines, unread)
    previous = before
    for line in lines:
        item = _item(line, tenant) | tiles(files.get(line.seq, ()), line)
        item["starts_group"] = not _continues(previous, line)
        item["day"] = _new_day(previous, line)
        item["unread"] = line.seq == first_unread
        shown.append(item)
        previous = line
    return shown


def _item(line: Line, tenant: Tenant) -> Context:
    if isinstance(line, Event):
        text = event_text(line, tenant)
        other = line.detail.get("conversation") if line.kind in _FORKS else None
        shown = {"kind": "event", "event": line.kind, "line": text, "other": other}
        return shown | _place(line)
    if isinstance(line, Note):
        author = {"kind": "member", "name": line.author_name}
        return {"kind": "note", "html": _html(line.text), **_said(line, author)}
    # A model's links are live only when they lead to the tenant's own hosts.
    hosts = tenant.link_hosts if line.role == MessageRole.AGENT else None
    author = {"kind": line.role, "name": _author_name(line, tenant)}
    return {
        "kind": "message",
        "html": _html(line.text, hosts),
        "id": line.id,
        "edited": line.edited_at is not None,
        "redacted": line.edited_at is not None and REDACTED in line.text,
        "superseded": line.superseded_at is not None,
        "with_agent": line.role == MessageRole.MEMBER and line.turn_id is not None,
        "sources": [_source(source) for source in line.sources or []],
        **_said(line, author),
    }


def _source(source: Context) -> Context:
    """An article of the tenant's knowledge, or a page elsewhere that may be linked."""
    url = str(source.get("url") or "")
    return {
        "title": source.get("title") or source.get("source") or url,
        "article": source.get("article"),
        "url": url if may_link(url, None) else "",
    }


def _place(line: Line) -> Context:
    return {"seq": line.seq, "created_at": line.created_at}


def _said(line: Message | Note, author: Context) -> Context:
    return {"author": author | {"initials": initials(author["name"])}, **_place(line)}


def _author_name(line: Message, tenant: Tenant) -> str:
    names = {MessageRole.AGENT: tenant.agent_name, MessageRole.CUSTOMER: _("Visitor")}
    return line.author_name or names.get(MessageRole(line.role), _("A teammate"))


def _html(text: str, hosts: Iterable[str] | None = None) -> SafeString:
    """Marked safe here and nowhere else: `to_html` lets no tag of the text through."""
    return SafeString(to_html(text, link_hosts=None if hosts is None else list(hosts)))


def _continues(previous: Line | None, line: Line) -> bool:
    if not isinstance(previous, Message) or not isinstance(line, Message):
        return False
    same = (previous.role, previous.author_name) == (line.role, line.author_name)
    return same and line.created_at - previous.created_at < _GROUP


def _new_day(previous: Line | None, line: Line) -> Any:
    day = timezone.localtime(line.created_at).date()
    if previous is not None and timezone.localtime(previous.created_at).date() == day:
        return None
    return day


def _first_unread(lines: Sequence[Line], unread: int) -> int | None:
    """The seq of the customer's line from which on nobody of the team has looked."""
    said = [
        line.seq
        for line in lines
        if isinstance(line, Message) and line.role == MessageRole.CUSTOMER
    ]
    return said[-min(unread, len(said))] if unread and said else None
