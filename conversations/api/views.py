"""The inbox and what members do with one conversation, one class an address."""

from collections.abc import Callable
from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from conversations import shapes
from conversations.access import conversation_for_member
from conversations.api import schema
from conversations.api.serializers import (
    ChangeConversation,
    InboxQuery,
    Reply,
    Snooze,
    WriteNote,
)
from conversations.models import Conversation
from conversations.schema import ConversationOut, MessageOut, NoteOut
from conversations.selectors.files import files_beside
from conversations.selectors.inbox import Filters, inbox
from conversations.selectors.lines import events_of, messages_of, notes_of, state_of
from conversations.services import control, lifecycle, messages
from conversations.services.changes import change
from tenants.gates.api import MemberApiView
from tenants.gates.fields import LinesQuery, Nothing
from tenants.gates.paging import (
    PageQuery,
    Place,
    numbered_page,
    page,
    read_cursor,
    read_number,
)
from tenants.gates.schema import describe
from tenants.permissions import Permission

REPLY: dict[str, Permission] = {"POST": Permission.REPLY}


class ConversationsView(MemberApiView):
    """The inbox."""

    @describe(
        "list_conversations",
        "Conversations by filters, in the order of `sort`.",
        query=InboxQuery,
        answers={200: schema.SummariesOut},
    )
    def get(self, request: Request) -> Response:
        query = self.query(InboxQuery)
        sort, limit = query.pop("sort"), query.pop("limit")
        after = read_cursor(query.pop("cursor", None), sort=sort)
        rows = inbox(self.member, Filters(**query), sort=sort, after=after, limit=limit + 1)
        labels = shapes.labels_of(rows)
        return Response(
            page(
                rows,
                limit,
                sort=sort,
                place_of=_place_in(sort),
                shape=lambda row: shapes.summary_json(row, labels[row.id]),
            )
        )


class ConversationView(MemberApiView):
    """One conversation."""

    permissions: ClassVar = {"PATCH": Permission.REPLY}

    @describe("get_conversation", "One conversation, whole.", answers={200: ConversationOut})
    def get(self, request: Request, conversation_id: UUID) -> Response:
        return _whole(conversation_for_member(self.member, conversation_id))

    @describe(
        "change_conversation",
        "Set title, stage, assignee, labels; each change is a line of the timeline.",
        body=ChangeConversation,
        answers={200: ConversationOut},
        problems=[409],
    )
    def patch(self, request: Request, conversation_id: UUID) -> Response:
        conversation = conversation_for_member(self.member, conversation_id)
        changes = self.payload(ChangeConversation)
        change(conversation, changes, by=self.member)
        return _whole(conversation_for_member(self.member, conversation_id))


class MessagesView(MemberApiView):
    """What was said."""

    @describe(
        "list_messages",
        "What was said, in `seq` order: the oldest after `after_seq`, or else the newest.",
        query=LinesQuery,
        answers={200: schema.MessagesOut},
    )
    def get(self, request: Request, conversation_id: UUID) -> Response:
        conversation = conversation_for_member(self.member, conversation_id)
        found = messages_of(conversation.id, **self.query(LinesQuery))
        files = files_beside(found)
        results = [shapes.message_json(message, self.member.tenant, files) for message in found]
        return Response({"results": results, "state": shapes.state_json(state_of(conversation))})


class NotesView(MemberApiView):
    """Private remarks among members."""

    permissions: ClassVar = REPLY

    @describe(
        "list_notes",
        "The notes, in `seq` order.",
        query=PageQuery,
        answers={200: schema.NotesOut},
    )
    def get(self, request: Request, conversation_id: UUID) -> Response:
        conversation = conversation_for_member(self.member, conversation_id)
        query = self.query(PageQuery)
        after = read_number(query.get("cursor"))
        found = notes_of(conversation.id, after_seq=after, limit=query["limit"] + 1)
        return Response(numbered_page(found, query["limit"], shape=shapes.note_json))

    @describe(
        "write_note",
        "A private remark; no customer and no model ever reads it.",
        body=WriteNote,
        answers={201: NoteOut},
        problems=[409],
    )
    def post(self, request: Request, conversation_id: UUID) -> Response:
        conversation = conversation_for_member(self.member, conversation_id)
        note = messages.add_note(conversation, by=self.member, **self.payload(WriteNote))
        return Response(shapes.note_json(note), status=201)


class EventsView(MemberApiView):
    """The timeline."""

    @describe(
        "list_events",
        "The events, in `seq` order.",
        query=PageQuery,
        answers={200: schema.EventsOut},
    )
    def get(self, request: Request, conversation_id: UUID) -> Response:
        conversation = conversation_for_member(self.member, conversation_id)
        query = self.query(PageQuery)
        after = read_number(query.get("cursor"))
        found = events_of(conversation.id, after_seq=after, limit=query["limit"] + 1)
        return Response(numbered_page(found, query["limit"], shape=shapes.member_event_json))


class RepliesView(MemberApiView):
    """Answers of members."""

    permissions: ClassVar = REPLY

    @describe(
        "reply",
        "An answer to the customer. It is a takeover: the agent does not answer any more.",
        body=Reply,
        answers={200: MessageOut, 201: MessageOut},
        problems=[409],
    )
    def post(self, request: Request, conversation_id: UUID) -> Response:
        conversation = conversation_for_member(self.member, conversation_id)
        posted = messages.post_reply(conversation, by=self.member, **self.payload(Reply))
        return Response(
            shapes.message_json(posted.message, self.member.tenant, posted.files),
            status=201 if posted.created else 200,
        )


def _act_view(
    operation: str, summary: str, act: Callable[..., Any], body: Any = Nothing
) -> type[MemberApiView]:
    """One act on one conversation; doing it twice changes nothing more."""

    class ActView(MemberApiView):
        permissions: ClassVar = REPLY

        @describe(operation, summary, body=body, answers={200: ConversationOut}, problems=[409])
        def post(self, request: Request, conversation_id: UUID) -> Response:
            conversation = conversation_for_member(self.member, conversation_id)
            act(conversation, by=self.member, **self.payload(body))
            return _whole(conversation_for_member(self.member, conversation_id))

    return ActView


TakeOverView = _act_view(
    "take_over", "You answer from now on; the agent stops at once.", control.take_over
)
HandBackView = _act_view("hand_back", "The agent answers again.", control.hand_back)
ResolveView = _act_view("resolve", "The talk is done; it opens again by itself.", lifecycle.resolve)
ReopenView = _act_view("reopen", "Back to open.", lifecycle.reopen)
SnoozeView = _act_view(
    "snooze", "Out of sight until a time, or until the customer writes.", lifecycle.snooze, Snooze
)


def _whole(conversation: Conversation) -> Response:
    labels = shapes.labels_of([conversation])[conversation.id]
    return Response(shapes.detail_json(conversation, labels))


_COLUMNS = {"last_message": "last_message_at", "waiting": "waiting_since", "created": "created_at"}


def _place_in(sort: str) -> Callable[[Conversation], Place]:
    return lambda row: Place(getattr(row, _COLUMNS[sort]), row.id)
