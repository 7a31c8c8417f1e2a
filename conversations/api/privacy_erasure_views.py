"""Erasures of people: ask, look, agree, refuse, try again."""

from collections.abc import Callable
from typing import Any, ClassVar
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from conversations.access import customer_for_privacy, erasure_for_member
from conversations.erasure_shapes import erasure_json
from conversations.models import ErasureRequest
from conversations.schema import Answer
from conversations.selectors.erasures import erasures
from conversations.services import erasure_requests
from tenants.gates.api import MemberApiView, bearer
from tenants.gates.fields import Nothing, TextField
from tenants.gates.paging import PageQuery, Place, page, read_cursor
from tenants.gates.schema import describe, paged
from tenants.permissions import Permission
from tenants.services.step_up import confirm_password

_READ = {"GET": Permission.PRIVACY}
_ACT = {"POST": Permission.PRIVACY}


class AskErasure(serializers.Serializer[None]):
    """Who is to be erased and why; `confirm` is the word ERASE.

    Whoever is signed in gives the password too; with an API key `confirm` stands for it.
    """

    customer = serializers.UUIDField()
    reason = TextField(max_length=300)
    confirm = TextField(max_length=20)
    password = TextField(required=False, max_length=128)


class RefuseErasure(serializers.Serializer[None]):
    """Why it is not carried out."""

    ground = serializers.ChoiceField(choices=ErasureRequest.Ground.choices)


class ProgressOut(Answer):
    """Rows deleted, of those found."""

    done = serializers.IntegerField()
    total = serializers.IntegerField()


class ErasureOut(Answer):
    """A request of erasure. `customer` is null from the moment that it is carried out."""

    id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=ErasureRequest._meta.get_field("state").choices or [])
    source = serializers.ChoiceField(choices=ErasureRequest.Source.choices)  # type: ignore[assignment]
    customer = serializers.UUIDField(allow_null=True)
    created_at = serializers.DateTimeField()
    due_at = serializers.DateTimeField()
    late = serializers.BooleanField()
    starts_at = serializers.DateTimeField(allow_null=True)
    hidden_at = serializers.DateTimeField(allow_null=True)
    executed_at = serializers.DateTimeField(allow_null=True)
    proven_at = serializers.DateTimeField(allow_null=True)
    certified_at = serializers.DateTimeField(allow_null=True)
    progress = ProgressOut()
    deleted = serializers.DictField(child=serializers.IntegerField())
    ground = serializers.CharField(allow_blank=True)
    failure = serializers.CharField(allow_blank=True)
    certificate = serializers.UUIDField(allow_null=True)


ErasuresOut = paged(ErasureOut, "Erasures")


class ErasuresView(MemberApiView):
    """All requests of the tenant."""

    permissions: ClassVar = _READ | _ACT

    @describe(
        "list_erasures",
        "Requests of erasure, newest first.",
        query=PageQuery,
        answers={200: ErasuresOut},
    )
    def get(self, request: Request) -> Response:
        query = self.query(PageQuery)
        after = read_cursor(query.get("cursor"), sort="erasures")
        found = erasures(after=after, limit=query["limit"] + 1)
        return Response(page(found, query["limit"], sort="erasures", place_of=_place,
                             shape=erasure_json))  # fmt: skip

    @describe(
        "ask_erasure",
        "Erase a customer whose identity you have verified; asking twice is one request.",
        body=AskErasure,
        answers={202: ErasureOut},
        problems=[409, 429],
    )
    def post(self, request: Request) -> Response:
        given = self.payload(AskErasure)
        customer = customer_for_privacy(self.member, given.pop("customer"))
        password = given.pop("password", "")
        if bearer(self.http) is None:
            confirm_password(self.member.user, password=password)
        row = erasure_requests.ask_by_member(customer, by=self.member, **given)
        return Response(erasure_json(row), status=202)


class ErasureView(MemberApiView):
    """One request."""

    permissions: ClassVar = _READ

    @describe("get_erasure", "One request of erasure.", answers={200: ErasureOut})
    def get(self, request: Request, erasure_id: UUID) -> Response:
        return Response(erasure_json(erasure_for_member(self.member, erasure_id)))


def _act_view(
    operation: str, summary: str, act: Callable[..., ErasureRequest], body: Any = Nothing
) -> type[MemberApiView]:
    class ActView(MemberApiView):
        permissions: ClassVar = _ACT

        @describe(operation, summary, body=body, answers={200: ErasureOut}, problems=[409])
        def post(self, request: Request, erasure_id: UUID) -> Response:
            row = erasure_for_member(self.member, erasure_id)
            row = act(row, by=self.member, **self.payload(body))
            return Response(erasure_json(row))

    return ActView


ApproveView = _act_view(
    "approve_erasure",
    "Agree to a request that somebody else made; needed from 20 people a day on.",
    erasure_requests.approve,
)
RefuseView = _act_view(
    "refuse_erasure",
    "Not carried out, for a ground that the law knows.",
    erasure_requests.refuse,
    RefuseErasure,
)
RunAgainView = _act_view(
    "run_erasure_again",
    "Try again after a failure or a hold.",
    erasure_requests.run_again,
)


def _place(row: ErasureRequest) -> Place:
    return Place(row.created_at, row.id)
