"""The audit record for members' programs."""

from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tenants.gates.api import MemberApiView
from tenants.gates.paging import PageQuery, Place, page, read_cursor
from tenants.gates.schema import describe, paged
from tenants.models import Actor
from tenants.permissions import Permission
from tenants.selectors.audit import Wanted, entries, links_of
from tenants.services import audit
from tenants.shapes import audit_json


class AuditQuery(PageQuery):
    """Which entries. `from` is included, `to` is not."""

    actor = serializers.UUIDField(required=False, help_text="Of a teammate or a rule.")
    action = serializers.CharField(required=False, max_length=60)
    to = serializers.DateTimeField(required=False)

    def get_fields(self) -> Any:
        """`from` is no name in Python."""
        return super().get_fields() | {"from": serializers.DateTimeField(required=False)}


class ActorOut(serializers.Serializer[None]):
    """Who or what acted; a customer by pseudonym."""

    kind = serializers.ChoiceField(choices=Actor.values)
    id = serializers.UUIDField(allow_null=True)
    code = serializers.CharField(allow_blank=True, help_text="Of a job or a rule: its name.")


class TargetOut(serializers.Serializer[None]):
    """On what; a customer, a conversation or a message by pseudonym."""

    kind = serializers.CharField()
    id = serializers.UUIDField(allow_null=True)


class AuditEntryOut(serializers.Serializer[None]):
    """One entry, with its place in the hash chain."""

    id = serializers.UUIDField()
    at = serializers.DateTimeField()
    actor = ActorOut()
    action = serializers.CharField()
    target = TargetOut(allow_null=True)
    detail = serializers.DictField()
    seq = serializers.IntegerField(allow_null=True)
    hash = serializers.CharField(allow_null=True)


class AuditView(MemberApiView):
    """Who did what."""

    permissions: ClassVar = {"GET": Permission.AUDIT}

    @describe(
        "list_audit",
        "Entries of the append-only record, newest first; reading it is recorded too.",
        query=AuditQuery,
        answers={200: paged(AuditEntryOut, "AuditEntries")},
    )
    def get(self, request: Request) -> Response:
        query = self.query(AuditQuery)
        after = read_cursor(query.get("cursor"), sort="audit")
        wanted = Wanted(
            action=query.get("action", ""),
            actor=query.get("actor"),
            since=query.get("from"),
            until=query.get("to"),
        )
        found = list(entries(wanted, after=after)[: query["limit"] + 1])
        links = links_of(found)
        audit.record_reading("audit", by=self.member)
        return Response(
            page(
                found,
                query["limit"],
                sort="audit",
                place_of=lambda entry: Place(entry.created_at, entry.id),
                shape=lambda entry: audit_json(entry, links.get(entry.id)),
            )
        )
