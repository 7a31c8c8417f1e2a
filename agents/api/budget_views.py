"""The tenant's budgets for members' programs."""

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from agents.api import schema, shapes
from agents.api.serializers import SetBudget
from agents.services import budgets
from tenants.gates.api import MemberApiView
from tenants.gates.schema import describe
from tenants.permissions import Permission


class BudgetView(MemberApiView):
    """How much the agent may use."""

    permissions: ClassVar = {"GET": Permission.ENDPOINTS, "PUT": Permission.ENDPOINTS}

    @describe(
        "get_budget",
        "The limits for a turn, a conversation, a day and a month, and which of them is reached.",
        answers={200: schema.BudgetOut},
    )
    def get(self, request: Request) -> Response:
        return Response(shapes.budget_json(budgets.current_budget(), budgets.tenant_limits()))

    @describe(
        "set_budget",
        "Set all limits anew; what is null or left out is not limited. Counts from the next"
        " answer on.",
        body=SetBudget,
        answers={200: schema.BudgetOut},
    )
    def put(self, request: Request) -> Response:
        row = budgets.set_budget(by=self.member, **self.payload(SetBudget))
        return Response(shapes.budget_json(row, budgets.tenant_limits()))
