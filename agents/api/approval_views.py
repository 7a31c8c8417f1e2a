"""What the agent may not do alone, for members' programs."""

from typing import ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from agents.access import approval_for_member
from agents.api import schema, shapes
from agents.api.serializers import ApprovalsQuery, DecideApproval
from agents.selectors.approvals import approvals_in
from agents.services.approvals import decide
from tenants.gates.api import MemberApiView
from tenants.gates.schema import describe
from tenants.permissions import Permission


class ApprovalsView(MemberApiView):
    """Tool calls that wait for a member, or waited."""

    @describe(
        "list_approvals",
        "What waits for a decision, oldest first; with another `state` the newest of those.",
        query=ApprovalsQuery,
        answers={200: schema.ApprovalsOut},
    )
    def get(self, request: Request) -> Response:
        query = self.query(ApprovalsQuery)
        found = approvals_in(query["state"], limit=query["limit"])
        return Response({"results": [shapes.approval_json(call) for call in found]})


class ApproveView(MemberApiView):
    """Yes, exactly as shown."""

    permissions: ClassVar = {"POST": Permission.APPROVE}

    @describe(
        "approve",
        "Carried out once, with the arguments shown, when its whole batch is decided."
        " 409 when it was decided before, 410 when it is void or expired.",
        body=DecideApproval,
        answers={200: schema.ApprovalOut},
        problems=[409, 410],
    )
    def post(self, request: Request, approval_id: UUID) -> Response:
        return _decided(self, approval_id, approved=True)


class RejectView(MemberApiView):
    """No; the agent tells the customer."""

    permissions: ClassVar = {"POST": Permission.APPROVE}

    @describe(
        "reject",
        "Nothing is done, and the agent is told. 409 and 410 as for `approve`.",
        body=DecideApproval,
        answers={200: schema.ApprovalOut},
        problems=[409, 410],
    )
    def post(self, request: Request, approval_id: UUID) -> Response:
        return _decided(self, approval_id, approved=False)


def _decided(view: MemberApiView, approval_id: UUID, *, approved: bool) -> Response:
    approval = approval_for_member(view.member, approval_id)
    comment = view.payload(DecideApproval)["comment"]
    row = decide(approval, by=view.member, approved=approved, comment=comment)
    return Response(shapes.approval_json(row))
