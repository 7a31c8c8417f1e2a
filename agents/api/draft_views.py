"""Drafts of the agent for members' programs."""

from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from agents.access import draft_for_member
from agents.api import schema, shapes
from agents.api.serializers import SendDraft
from agents.selectors.drafts import draft_of
from agents.services import drafts
from agents.services.queueing import may_draft
from conversations.access import conversation_for_member
from conversations.models import Conversation
from conversations.schema import MessageOut
from conversations.shapes import message_json
from tenants.gates.api import MemberApiView
from tenants.gates.fields import Nothing
from tenants.gates.schema import describe
from tenants.permissions import Permission


class DraftView(MemberApiView):
    """The agent's draft in a conversation."""

    permissions: ClassVar = {"POST": Permission.REPLY}

    @describe(
        "get_draft",
        "The agent's open draft and whether it is stale; no customer ever reads it.",
        answers={200: schema.DraftNowOut},
    )
    def get(self, request: Request, conversation_id: UUID) -> Response:
        conversation = conversation_for_member(self.member, conversation_id)
        return Response(_draft(conversation))

    @describe(
        "ask_for_draft",
        "Let the agent write a draft for what stands unanswered.",
        body=Nothing,
        answers={202: schema.DraftNowOut},
        problems=[409],
    )
    def post(self, request: Request, conversation_id: UUID) -> Response:
        conversation = conversation_for_member(self.member, conversation_id)
        self.payload(Nothing)
        drafts.ask_for_draft(conversation)
        return Response(_draft(conversation), status=202)


class SendDraftView(MemberApiView):
    """A draft becomes a member's message."""

    permissions: ClassVar = {"POST": Permission.REPLY}

    @describe(
        "send_draft",
        "Send a draft as the member's message; a stale one only with `read_seq`.",
        body=SendDraft,
        answers={200: MessageOut, 201: MessageOut},
        problems=[409],
    )
    def post(self, request: Request, draft_id: UUID) -> Response:
        draft = draft_for_member(self.member, draft_id)
        posted = drafts.send_draft(draft, by=self.member, **self.payload(SendDraft))
        return Response(
            message_json(posted.message, self.member.tenant, posted.files),
            status=201 if posted.created else 200,
        )


class DiscardDraftView(MemberApiView):
    """A draft that nobody sends."""

    permissions: ClassVar = {"POST": Permission.REPLY}

    @describe(
        "discard_draft",
        "Throw a draft away; doing it twice changes nothing more.",
        body=Nothing,
        answers={200: schema.DraftNowOut},
    )
    def post(self, request: Request, draft_id: UUID) -> Response:
        draft = draft_for_member(self.member, draft_id)
        self.payload(Nothing)
        drafts.discard_draft(draft)
        conversation = conversation_for_member(self.member, draft.conversation_id)
        return Response(_draft(conversation))


def _draft(conversation: Conversation) -> dict[str, Any]:
    return shapes.draft_json(draft_of(conversation, may_draft=may_draft(conversation)))
