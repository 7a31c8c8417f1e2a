"""Retention policies, for programs."""

from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from conversations.access import label_for_member, policy_for_member
from conversations.api.privacy_serializers import MakePolicy, PoliciesOut, PolicyOut, PreviewOut
from conversations.models import RetentionPolicy
from conversations.selectors.retention import Preview, policies_by_age, preview
from conversations.selectors.retention_law import rule_of
from conversations.services import retention
from conversations.services.retention import PolicySettings
from tenants.gates.api import MemberApiView
from tenants.gates.fields import Nothing
from tenants.gates.paging import PageQuery, Place, page, read_cursor
from tenants.gates.schema import describe
from tenants.permissions import Permission


class PoliciesView(MemberApiView):
    """All policies: those that wait, are in force, or have ended."""

    permissions: ClassVar = {"GET": Permission.PRIVACY, "POST": Permission.PRIVACY}

    @describe(
        "list_retention_policies",
        "Retention policies, newest first.",
        query=PageQuery,
        answers={200: PoliciesOut},
    )
    def get(self, request: Request) -> Response:
        query = self.query(PageQuery)
        after = read_cursor(query.get("cursor"), sort="policies")
        found = policies_by_age(after=after, limit=query["limit"] + 1)
        return Response(
            page(
                found,
                query["limit"],
                sort="policies",
                place_of=lambda row: Place(row.created_at, row.id),
                shape=policy_json,
            )
        )

    @describe(
        "make_retention_policy",
        "A new policy, or one in the place of another. What takes more than before waits 24 hours,"
        " and above 10,000 rows for a second person.",
        body=MakePolicy,
        answers={201: PolicyOut},
    )
    def post(self, request: Request) -> Response:
        asked = self.payload(MakePolicy)
        label, replaces = asked.pop("label", None), asked.pop("replaces", None)
        settings = PolicySettings(
            **asked,
            label=label_for_member(self.member, label) if label else None,
            replaces=policy_for_member(self.member, replaces) if replaces else None,
        )
        return Response(policy_json(retention.make_policy(settings, by=self.member)), status=201)


class PolicyView(MemberApiView):
    """One policy."""

    permissions: ClassVar = {"DELETE": Permission.PRIVACY}

    @describe(
        "end_retention_policy",
        "It takes nothing any more; what it has hidden is seen again.",
        answers={200: PolicyOut},
    )
    def delete(self, request: Request, policy_id: UUID) -> Response:
        policy = policy_for_member(self.member, policy_id)
        return Response(policy_json(retention.end(policy, by=self.member)))


class PreviewView(MemberApiView):
    """What a policy would take."""

    permissions: ClassVar = {"POST": Permission.PRIVACY}

    @describe(
        "preview_retention_policy",
        "Counts of what the policy would take now, and the conversations that were idle longest.",
        body=Nothing,
        answers={200: PreviewOut},
    )
    def post(self, request: Request, policy_id: UUID) -> Response:
        policy = policy_for_member(self.member, policy_id)
        self.payload(Nothing)
        return Response(_preview_json(preview(rule_of(policy), policy.kind, member=self.member)))


class SecondView(MemberApiView):
    """The second person."""

    permissions: ClassVar = {"POST": Permission.PRIVACY}

    @describe(
        "approve_retention_policy",
        "Another member confirms a policy that takes more than 10,000 rows.",
        body=Nothing,
        answers={200: PolicyOut},
        problems=(409,),
    )
    def post(self, request: Request, policy_id: UUID) -> Response:
        policy = policy_for_member(self.member, policy_id)
        self.payload(Nothing)
        return Response(policy_json(retention.second(policy, by=self.member)))


_PLAIN = (
    "id", "name", "kind", "status", "channel", "days", "state", "rows", "needs_second",
    "approved_at", "replaces", "starts_at", "ended_at", "created_at",
)  # fmt: skip


def policy_json(row: RetentionPolicy) -> dict[str, Any]:
    return {
        **{name: getattr(row, name) for name in _PLAIN},
        "label": row.label.name if row.label else None,
        "effective_days": rule_of(row).days,
    }


def _preview_json(found: Preview) -> dict[str, Any]:
    return {
        "counts": found.counts,
        "rows": found.rows,
        "held": found.held,
        "samples": [
            {"id": talk.id, "title": talk.title, "last_message_at": talk.last_message_at}
            for talk in found.samples
        ],
        "customers": [
            {"id": one.id, "name": one.name, "last_seen_at": one.last_seen_at}
            for one in found.people
        ],
    }
