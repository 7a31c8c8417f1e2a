"""Messages by their own address, and customers."""

from typing import ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from conversations import shapes
from conversations.access import conversation_for_member, customer_for_member, message_for_member
from conversations.api import schema
from conversations.api.serializers import CustomersQuery, Edit, Redact
from conversations.models import Customer, Message
from conversations.schema import ConversationOut, CustomerOut, MessageOut
from conversations.selectors.customers import customers, verified_ids
from conversations.selectors.files import files_beside
from conversations.services import edits
from conversations.services.forking import fork
from tenants.gates.api import MemberApiView
from tenants.gates.fields import Nothing
from tenants.gates.paging import Place, page, read_cursor
from tenants.gates.schema import describe
from tenants.models import Tenant
from tenants.permissions import Permission


class MessageView(MemberApiView):
    """One message."""

    permissions: ClassVar = {"PATCH": Permission.REPLY}

    @describe(
        "edit_message",
        "New words; the old ones are kept, and people and the model read the new ones.",
        body=Edit,
        answers={200: MessageOut},
    )
    def patch(self, request: Request, message_id: UUID) -> Response:
        message = message_for_member(self.member, message_id)
        message = edits.edit_message(message, by=self.member, **self.payload(Edit))
        return _shown(message, self.member.tenant)


class RedactView(MemberApiView):
    """Words that must not be read any more."""

    permissions: ClassVar = {"POST": Permission.REPLY}

    @describe(
        "redact_message",
        "Black out characters for good; they are kept nowhere.",
        body=Redact,
        answers={200: MessageOut},
    )
    def post(self, request: Request, message_id: UUID) -> Response:
        message = message_for_member(self.member, message_id)
        message = edits.redact_message(message, by=self.member, **self.payload(Redact))
        return _shown(message, self.member.tenant)


class ForkView(MemberApiView):
    """An earlier point to go on from."""

    permissions: ClassVar = {"POST": Permission.REPLY}

    @describe(
        "fork_conversation",
        "A new conversation that has happened up to this message; the member has it.",
        body=Nothing,
        answers={201: ConversationOut},
    )
    def post(self, request: Request, message_id: UUID) -> Response:
        message = message_for_member(self.member, message_id)
        self.payload(Nothing)
        talk = fork(message, by=self.member)
        row = conversation_for_member(self.member, talk.id)
        return Response(shapes.detail_json(row, shapes.labels_of([row])[row.id]), status=201)


class CustomersView(MemberApiView):
    """The tenant's customers."""

    @describe(
        "list_customers",
        "Customers, newest first.",
        query=CustomersQuery,
        answers={200: schema.CustomersOut},
    )
    def get(self, request: Request) -> Response:
        query = self.query(CustomersQuery)
        after = read_cursor(query.get("cursor"), sort="customers")
        found = customers(q=query.get("q", ""), after=after, limit=query["limit"] + 1)
        verified = verified_ids(found)
        return Response(
            page(
                found,
                query["limit"],
                sort="customers",
                place_of=lambda row: Place(row.created_at, row.id),
                shape=lambda row: shapes.customer_json(row, verified=row.id in verified),
            )
        )


class CustomerView(MemberApiView):
    """One customer."""

    @describe("get_customer", "One customer.", answers={200: CustomerOut})
    def get(self, request: Request, customer_id: UUID) -> Response:
        customer = customer_for_member(self.member, customer_id)
        return Response(_whole(customer))


def _whole(customer: Customer) -> dict[str, object]:
    return shapes.customer_json(customer, verified=customer.id in verified_ids([customer]))


def _shown(message: Message, tenant: Tenant) -> Response:
    return Response(shapes.message_json(message, tenant, files_beside([message])))
