"""Two customers that are one person, for programs."""

from typing import Any, ClassVar
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from conversations.access import customer_for_member, merge_for_member
from conversations.models import CustomerMerge
from conversations.schema import Answer
from conversations.services import merging
from tenants.gates.api import MemberApiView
from tenants.gates.fields import Nothing
from tenants.gates.schema import describe
from tenants.permissions import Permission


class Merge(serializers.Serializer[None]):
    """Who is the same person; `confirm` when your website knows both by a sign-in of their own."""

    customer = serializers.UUIDField()
    confirm = serializers.ChoiceField(choices=["MERGE"], required=False)


class Split(serializers.Serializer[None]):
    """Which of the customer's conversations are somebody else's."""

    conversations = serializers.ListField(child=serializers.UUIDField(), max_length=1000)


class MergeOut(Answer):
    """What moved from whom to whom, and until when it can be undone."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=CustomerMerge.Kind.choices)
    moved_from = serializers.UUIDField()
    moved_to = serializers.UUIDField()
    conversations = serializers.ListField(child=serializers.UUIDField())
    created_at = serializers.DateTimeField()
    undo_until = serializers.DateTimeField()
    undone_at = serializers.DateTimeField(allow_null=True)


class MergeView(MemberApiView):
    """One customer takes in another."""

    permissions: ClassVar = {"POST": Permission.REPLY}

    @describe(
        "merge_customer",
        "All that is the other customer's becomes this one's; it can be undone for 14 days.",
        body=Merge,
        answers={200: MergeOut},
        problems=[409],
    )
    def post(self, request: Request, customer_id: UUID) -> Response:
        kept = customer_for_member(self.member, customer_id)
        given = self.payload(Merge)
        other = customer_for_member(self.member, given["customer"])
        sure = "confirm" in given
        made = merging.merge(kept, other, by=self.member, although_both_proven=sure)
        return Response(_json(made))


class SplitView(MemberApiView):
    """One customer that was two."""

    permissions: ClassVar = {"POST": Permission.REPLY}

    @describe(
        "split_customer",
        "Some conversations go to a new customer; it can be undone for 14 days.",
        body=Split,
        answers={201: MergeOut},
        problems=[409],
    )
    def post(self, request: Request, customer_id: UUID) -> Response:
        customer = customer_for_member(self.member, customer_id)
        given = self.payload(Split)
        made = merging.split(customer, conversations=given["conversations"], by=self.member)
        return Response(_json(made), status=201)


class UndoView(MemberApiView):
    """Back as it was."""

    permissions: ClassVar = {"POST": Permission.REPLY}

    @describe(
        "undo_merge",
        "What moved moves back; what was written since then stays.",
        body=Nothing,
        answers={200: MergeOut},
        problems=[409, 410],
    )
    def post(self, request: Request, merge_id: UUID) -> Response:
        made = merge_for_member(self.member, merge_id)
        self.payload(Nothing)
        return Response(_json(merging.undo(made, by=self.member)))


def _json(made: CustomerMerge) -> dict[str, Any]:
    return {
        "id": made.id,
        "kind": made.kind,
        "moved_from": made.source_id,
        "moved_to": made.target_id,
        "conversations": made.conversations,
        "created_at": made.created_at,
        "undo_until": made.undo_until,
        "undone_at": made.undone_at,
    }
