"""Runs of retention, for programs: what policies took, and what waits for a second person."""

from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from conversations.access import run_for_member
from conversations.api.privacy_serializers import RunOut, RunsOut
from conversations.models import RetentionRun
from conversations.selectors.retention import runs_by_age
from conversations.services.retention_confirming import confirm_run
from tenants.gates.api import MemberApiView
from tenants.gates.fields import Nothing
from tenants.gates.paging import PageQuery, Place, page, read_cursor
from tenants.gates.schema import describe
from tenants.permissions import Permission


class RunsView(MemberApiView):
    """Reports of all policies; one that is held back says since when."""

    permissions: ClassVar = {"GET": Permission.PRIVACY}

    @describe(
        "list_retention_runs",
        "Runs of retention policies, newest first.",
        query=PageQuery,
        answers={200: RunsOut},
    )
    def get(self, request: Request) -> Response:
        query = self.query(PageQuery)
        after = read_cursor(query.get("cursor"), sort="runs")
        return Response(
            page(
                runs_by_age(after=after, limit=query["limit"] + 1),
                query["limit"],
                sort="runs",
                place_of=lambda row: Place(row.created_at, row.id),
                shape=run_json,
            )
        )


class ConfirmRunView(MemberApiView):
    """The second person."""

    permissions: ClassVar = {"POST": Permission.PRIVACY}

    @describe(
        "confirm_retention_run",
        "Another member than who made the policy confirms a run that is held back.",
        body=Nothing,
        answers={200: RunOut},
        problems=(409,),
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        run = run_for_member(self.member, run_id)
        self.payload(Nothing)
        return Response(run_json(confirm_run(run, by=self.member)))


_PLAIN = (
    "id", "name", "days", "counts", "rows", "due", "held_back_at", "created_at",
    "finished_at",
)  # fmt: skip


def run_json(row: RetentionRun) -> dict[str, Any]:
    return {"policy": row.policy_id} | {name: getattr(row, name) for name in _PLAIN}
