"""The panes of the inbox, from rows to what their templates name."""

from typing import Any
from uuid import UUID, uuid4

from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _

from conversations.console import present
from conversations.console.file_rows import listed
from conversations.console.forms import (
    SORTS,
    STATUSES,
    TAB_LABELS,
    Listing,
    SnoozeForm,
    snooze_end,
)
from conversations.models import Conversation, Draft, Handler, Message
from conversations.selectors import details
from conversations.selectors.files import files_beside
from conversations.selectors.inbox import COUNT_CAP, TABS, counts, inbox, tab_filters
from conversations.selectors.lines import Line, lines
from tenants.gates.members import MemberRequest
from tenants.models import AgentMode
from tenants.permissions import Permission, may

Context = dict[str, Any]
LINES = 50


def cards(request: MemberRequest, listing: Listing, chosen: UUID | None = None) -> Context:
    """One page of the list; one statement."""
    wanted = tab_filters(listing.tab, listing.filters)
    rows = inbox(
        request.member, wanted, sort=listing.sort, after=listing.after, limit=listing.limit + 1
    )
    more = len(rows) > listing.limit
    rows = rows[: listing.limit]
    return {
        "conversations": [present.card(row) for row in rows],
        "chosen_id": chosen,
        "list_query": listing.query(),
        "next_url": _list_url(request) + listing.query_after(rows[-1]) if more else None,
        "empty": _empty(listing),
    }


def list_pane(request: MemberRequest, listing: Listing, chosen: UUID | None = None) -> Context:
    """The list with its tabs, whose numbers count the rows that each lists; two statements."""
    numbers = counts(request.member, listing.filters, sort=listing.sort)
    tabs = [
        {
            "key": tab,
            "label": TAB_LABELS[tab],
            "count": numbers[tab] if numbers[tab] < COUNT_CAP else f"{COUNT_CAP - 1}+",
            "url": _list_url(request) + listing.query(tab=tab),
            "active": tab == listing.tab,
        }
        for tab in TABS
    ]
    about = {"tab": listing.tab, "status": listing.status, "sort": listing.sort, "q": listing.q}
    return cards(request, listing, chosen) | {
        "active": "inbox",
        "tabs": tabs,
        "filter": about,
        "statuses": STATUSES,
        "sorts": SORTS,
        "list_url": _list_url(request) + listing.query(),
        "stream_url": "/api/v1/stream",
    }


def conversation(request: MemberRequest, row: Conversation) -> Context:
    """The open talk: header, newest lines with their files, composer; four statements."""
    found = lines(row.id, private=True, limit=LINES + 1)
    shown = found[-LINES:]
    unread = row.unread_count
    return {
        **header(request, row),
        "items": present.items(shown, request.tenant, unread=unread, files=files_beside(shown)),
        "older_url": _older_url(request, row, shown) if len(found) > LINES else None,
        "last_seq": shown[-1].seq if shown else 0,
        "items_url": _url(request, row, "lines"),
        "details_url": _url(request, row, "details"),
        "conversation_stream_url": f"/api/v1/conversations/{row.id}/stream",
        **composer(row, seen_seq=shown[-1].seq if shown else 0),
    }


def older(request: MemberRequest, row: Conversation, before_seq: int) -> Context:
    """Earlier lines, and the way to still earlier ones."""
    found = lines(row.id, private=True, before_seq=before_seq, limit=LINES + 1)
    shown = found[-LINES:]
    return {
        "items": present.items(shown, request.tenant, files=files_beside(shown)),
        "older_url": _older_url(request, row, shown) if len(found) > LINES else None,
    }


def newer(request: MemberRequest, row: Conversation, after_seq: int, limit: int) -> Context:
    """What came after a line, which itself is read too: names and days go on from it."""
    start = max(after_seq - 1, 0)
    found = lines(row.id, private=True, after_seq=start, limit=limit + 1)
    before = next((line for line in found if line.seq == after_seq), None)
    shown = [line for line in found if line.seq > after_seq][:limit]
    return {"items": present.items(shown, request.tenant, before=before, files=files_beside(shown))}


def message(request: MemberRequest, row: Message) -> Context:
    """One message as the log shows it."""
    around = lines(row.conversation_id, private=True, after_seq=max(row.seq - 2, 0), limit=2)
    before = next((line for line in around if line.seq == row.seq - 1), None)
    files = files_beside([row])
    return {"item": present.items([row], request.tenant, before=before, files=files)[0]}


def header(request: MemberRequest, row: Conversation) -> Context:
    """Who answers, where the talk stands, and what the member may press."""
    return {
        "conversation": present.card(row),
        "agent_name": request.tenant.agent_name,
        "agent_available": present.agent_answers(row, request.tenant),
        "drafts": (row.mode or request.tenant.agent_mode) == AgentMode.DRAFT,
        "is_mine": row.assignee_id == request.member.id,
        "snooze_choices": _snooze_choices(),
        "header_url": _url(request, row, "header"),
        "composer_url": _url(request, row, "composer"),
    }


def composer(row: Conversation, **values: Any) -> Context:
    """An empty composer, or what `values` says; notes only while the agent answers."""
    mode = Draft.Mode.NOTE if row.handler == Handler.AGENT else Draft.Mode.REPLY
    # One key a composer: pressing twice, or a repeated request, is one message.
    start = {"mode": mode.value, "text": "", "client_key": uuid4(), "seen_seq": 0}
    return {"composer": start | values, "conversation": present.card(row)}


def details_pane(request: MemberRequest, row: Conversation) -> Context:
    """All that stands beside the talk; six statements."""
    names = details.label_names(row)
    others = details.other_talks(request.member, row)
    return {
        "conversation": present.card(row)
        | {
            "title_by": row.title_by,
            "stage_by": row.stage_by,
            "stage_reason": row.stage_reason,
            "mode": row.mode,
            "created_at": row.created_at,
            "message_count": row.message_count,
            "input_tokens": row.input_tokens,
            "output_tokens": row.output_tokens,
            "cost": row.cost,
            "labels": sorted(names),
        },
        "customer": present.customer(row),
        "other_conversations": [present.talk(other) for other in others],
        "modes": present.modes(request.tenant),
        "stages": details.stages(),
        "assignees": details.answering_teammates(),
        "labels": [{"name": name, "on": name in names} for name in details.all_label_names()],
        "summary": row.summary,
        "triage": present.triage(row),
        "dossier": row.dossier.get("facts", []),
        "files": [
            listed(file, present.customer_name(row.customer)) for file in details.files_in(row)
        ],
        "details_url": _url(request, row, "details"),
    }


def _snooze_choices() -> list[Context]:
    choices = []
    for value, label in SnoozeForm.CHOICES:
        at = formats.date_format(snooze_end(value), "D j M, H:i")
        choices.append({"value": value, "label": label, "at": at})
    return choices


def _empty(listing: Listing) -> Context:
    if listing.q:
        text = _("Search other words, or another status.")
        return {"title": _("Nobody and nothing found"), "text": text}
    texts = {
        "mine": _("Take over a conversation, or let a teammate assign one to you."),
        "unassigned": _("Nobody waits for the team."),
        "agent": _("The AI agent has no conversation in this list."),
        "all": _("As soon as a customer writes, the conversation appears here."),
    }
    return {"title": _("No conversations"), "text": texts[listing.tab]}


def _older_url(request: MemberRequest, row: Conversation, shown: list[Line]) -> str:
    return f"{_url(request, row, 'lines')}?before_seq={shown[0].seq}"


def _list_url(request: MemberRequest) -> str:
    return reverse("conversations:inbox", args=[request.tenant.slug])


def _url(request: MemberRequest, row: Conversation, name: str) -> str:
    return reverse(f"conversations:{name}", args=[request.tenant.slug, row.id])


def marks_read(request: MemberRequest) -> bool:
    """A talk counts as read when somebody who may answer has seen it."""
    return may(request.member, Permission.REPLY)
