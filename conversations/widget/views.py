"""What customers do, one class an address; each starts from the customer of the token."""

from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from conversations import shapes
from conversations.access import conversation_for_customer
from conversations.gates.customers import (
    KeyAuthentication,
    WidgetView,
    cors_headers,
    preflight,
    tenant_of_key,
    tenant_of_token,
    token_of_request,
    with_cors,
)
from conversations.gates.languages import asked_language
from conversations.gates.sse import check_get, event_stream, resume_after
from conversations.live import Listener, talk_channel
from conversations.models import Conversation
from conversations.schema import OwnMessageOut
from conversations.selectors.customers import conversations_of
from conversations.selectors.files import files_beside
from conversations.selectors.lines import lines, state_of
from conversations.services import control, messages, privacy_requests, ratings
from conversations.services.sessions import Session, start_session
from conversations.services.timeline import By
from conversations.streams import Pass, Seat, in_short_scope
from conversations.widget import schema
from conversations.widget.serializers import AskPrivacy, Post, Rate, StartSession
from tenants.errors import Unauthenticated
from tenants.gates import problems
from tenants.gates.api import bearer
from tenants.gates.fields import LinesQuery, Nothing
from tenants.gates.paging import PageQuery, Place, page, read_cursor
from tenants.gates.schema import describe
from tenants.models import Tenant, WidgetKey
from tenants.rates import address_group, check_rate


class SessionsView(WidgetView):
    """Sessions begin here, so nobody is authenticated yet: the key names the tenant."""

    authentication_classes = [KeyAuthentication]

    def find_tenant(self, request: HttpRequest) -> UUID | None:
        check_rate("sessions", _address(request), limit=settings.RATE_SESSIONS, seconds=60)
        return tenant_of_key(request)

    @extend_schema(auth=[])
    @describe(
        "start_session",
        "Start or resume a session; send the old token along to resume.",
        body=StartSession,
        answers={200: schema.SessionOut, 201: schema.SessionOut},
        problems=[429],
    )
    def post(self, request: Request) -> Response:
        given = self.payload(StartSession)
        key = cast("WidgetKey", request.auth)
        session = start_session(
            key,
            old_token=bearer(self.http),
            identity=given.get("identity"),
            locale=asked_language(self.http),
        )
        return Response(_session_json(session, key.tenant), status=201 if session.created else 200)


class ConversationsView(WidgetView):
    """The customer's own conversations."""

    @describe(
        "list_own_conversations",
        "Your conversations, newest first.",
        query=PageQuery,
        answers={200: schema.OwnConversationsOut},
    )
    def get(self, request: Request) -> Response:
        query = self.query(PageQuery)
        after = read_cursor(query.get("cursor"), sort="own")
        rows = conversations_of(self.customer, after=after, limit=query["limit"] + 1)
        return Response(page(rows, query["limit"], sort="own", place_of=_place,
                             shape=shapes.own_conversation_json))  # fmt: skip

    @describe(
        "start_conversation",
        "The first message of a new conversation.",
        body=Post,
        answers={200: schema.StartedOut, 201: schema.StartedOut},
        problems=[409, 429],
    )
    def post(self, request: Request) -> Response:
        _check_message_rate(self)
        posted = messages.start_conversation(self.customer, **self.payload(Post))
        conversation = shapes.own_conversation_json(posted.conversation)
        message = shapes.own_message_json(posted.message, self.tenant, posted.files)
        return Response(
            {"conversation": conversation, "message": message},
            status=201 if posted.created else 200,
        )


class MessagesView(WidgetView):
    """What was said in one conversation."""

    @describe(
        "list_own_lines",
        "What was said and the public events, in `seq` order.",
        query=LinesQuery,
        answers={200: schema.PublicLinesOut},
        problems=[410],
    )
    def get(self, request: Request, conversation_id: UUID) -> Response:
        conversation = conversation_for_customer(self.customer, conversation_id)
        found = lines(conversation.id, private=False, **self.query(LinesQuery))
        files = files_beside(found)
        results = [
            shapes.line_json(line, self.tenant, private=False, files=files) for line in found
        ]
        return Response({"results": results, "state": shapes.state_json(state_of(conversation))})

    @describe(
        "post_message",
        "One more message.",
        body=Post,
        answers={200: OwnMessageOut, 201: OwnMessageOut},
        problems=[409, 410, 429],
    )
    def post(self, request: Request, conversation_id: UUID) -> Response:
        conversation = conversation_for_customer(self.customer, conversation_id)
        _check_message_rate(self)
        posted = messages.post_customer_message(
            conversation, customer=self.customer, **self.payload(Post)
        )
        return Response(
            shapes.own_message_json(posted.message, self.tenant, posted.files),
            status=201 if posted.created else 200,
        )


class PersonView(WidgetView):
    """A person instead of the agent."""

    @describe(
        "ask_for_person",
        "Ask for a person; asking twice changes nothing.",
        body=Nothing,
        answers={200: schema.AskedOut},
        problems=[409, 410],
    )
    def post(self, request: Request, conversation_id: UUID) -> Response:
        conversation = conversation_for_customer(self.customer, conversation_id)
        self.payload(Nothing)
        conversation = control.ask_for_person(conversation, by=By.customer(self.customer))
        return Response({"state": shapes.state_json(state_of(conversation))})


class RatingView(WidgetView):
    """The customer's verdict."""

    @describe(
        "rate_conversation",
        "Rate the conversation; the last verdict counts.",
        body=Rate,
        answers={200: schema.RatingOut},
        problems=[410],
    )
    def post(self, request: Request, conversation_id: UUID) -> Response:
        conversation = conversation_for_customer(self.customer, conversation_id)
        rating = ratings.rate(conversation, **self.payload(Rate))
        return Response({"score": rating.score, "comment": rating.comment})


class PrivacyRequestsView(WidgetView):
    """A customer's own data: a copy of it, or its end."""

    @describe(
        "ask_privacy",
        "Ask for your data or for its deletion; you must have signed in on the website.",
        body=AskPrivacy,
        answers={202: schema.PrivacyRequestOut},
        problems=[429],
    )
    def post(self, request: Request) -> Response:
        given = self.payload(AskPrivacy)
        received = privacy_requests.receive(self.customer, token=self.token, **given)
        return Response(received._asdict(), status=202)


async def stream(request: HttpRequest, conversation_id: UUID) -> HttpResponseBase:
    """Server-sent events of one conversation; refusals are problem details always."""
    if request.method == "OPTIONS":
        return preflight(request)
    try:
        check_get(request)
        tenant_id = tenant_of_token(request)
        if tenant_id is None:
            raise Unauthenticated  # noqa: TRY301 - translated just below, like all the others
        seat = await in_short_scope(tenant_id, lambda: _seat(request, conversation_id))
    except Exception as error:  # noqa: BLE001 - the translation raises what it does not know
        return with_cors(request, problems.answer(error))
    return event_stream(seat, cors_headers(request))


def _seat(request: HttpRequest, conversation_id: UUID) -> Seat:
    token = token_of_request(request)
    conversation = conversation_for_customer(token.customer, conversation_id)
    return Seat(
        tenant=token.tenant,
        opened_with=Pass(token_id=token.id, customer_id=token.customer_id),
        listener=Listener(talk_channel(conversation.id), private=False),
        conversation_id=conversation.id,
        seq=resume_after(request, last_seq=conversation.last_seq),
    )


def _address(request: HttpRequest) -> str:
    return address_group(request.META.get("REMOTE_ADDR") or "local")


def _check_message_rate(view: WidgetView) -> None:
    check_rate("messages", str(view.customer.id), limit=settings.RATE_MESSAGES, seconds=60)


def _place(conversation: Conversation) -> Place:
    assert conversation.last_message_at is not None  # noqa: S101 - the list leaves them out
    return Place(conversation.last_message_at, conversation.id)


def _session_json(session: Session, tenant: Tenant) -> dict[str, Any]:
    return {
        "token": session.token,
        "customer": {"id": session.customer.id, "verified": session.verified},
        "tenant": {
            "name": tenant.name,
            "locale": tenant.locale,
            "colour": tenant.colour,
            "greeting": tenant.greeting,
            "agent_name": tenant.agent_name,
            "hours": tenant.hours,
        },
        "expires_at": session.expires_at,
    }
