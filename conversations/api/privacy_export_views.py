"""Exports of customers and of the whole tenant, for programs."""

from typing import Any, ClassVar
from uuid import UUID

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from conversations.access import customer_for_member, export_for_member
from conversations.gates.files import export_file
from conversations.models import ExportRequest
from conversations.schema import Answer
from conversations.selectors.exports import exports
from conversations.services import exports as services
from conversations.services.exporting import progress_of
from tenants.gates.api import MemberApiView, bearer
from tenants.gates.fields import TextField
from tenants.gates.paging import PageQuery, Place, page, read_cursor
from tenants.gates.schema import describe, paged
from tenants.permissions import Permission
from tenants.services.step_up import confirm_password

CONFIRM = "EXPORT"


class AskExport(serializers.Serializer[None]):
    """Whose data: a customer's, or everything of the tenant."""

    kind = serializers.ChoiceField(choices=ExportRequest.Kind.choices, default="customer")
    customer = serializers.UUIDField(required=False)
    notes = serializers.BooleanField(
        default=False, help_text="With the team's private notes about the customer."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if (attrs["kind"] == ExportRequest.Kind.CUSTOMER) != ("customer" in attrs):
            raise serializers.ValidationError(
                {"customer": "Name the customer, or ask for kind “tenant” without one."}
            )
        return attrs


class FetchExport(serializers.Serializer[None]):
    """`confirm` with an API key; the password of whoever is signed in otherwise."""

    confirm = serializers.ChoiceField(choices=[CONFIRM])
    password = TextField(required=False, max_length=128)


class ExportOut(Answer):
    """An export: where it stands, and until when it can be fetched."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=ExportRequest.Kind.choices)
    customer = serializers.UUIDField(allow_null=True)
    state = serializers.ChoiceField(choices=ExportRequest.State.choices)
    percent = serializers.IntegerField()
    notes = serializers.BooleanField()
    rows = serializers.IntegerField()
    bytes = serializers.IntegerField()
    manifest_sha256 = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    ready_at = serializers.DateTimeField(allow_null=True)
    expires_at = serializers.DateTimeField(allow_null=True)
    fetched_at = serializers.DateTimeField(allow_null=True)


ExportsOut = paged(ExportOut, "Exports")


class ExportsView(MemberApiView):
    """All exports of the tenant."""

    permissions: ClassVar = {"GET": Permission.PRIVACY, "POST": Permission.PRIVACY}

    @describe("list_exports", "Exports, newest first.", query=PageQuery, answers={200: ExportsOut})
    def get(self, request: Request) -> Response:
        query = self.query(PageQuery)
        after = read_cursor(query.get("cursor"), sort="exports")
        return Response(
            page(
                exports(after=after, limit=query["limit"] + 1),
                query["limit"],
                sort="exports",
                place_of=lambda row: Place(row.created_at, row.id),
                shape=export_json,
            )
        )

    @describe(
        "ask_export",
        "A copy of one customer's data or of everything; it is made in the background.",
        body=AskExport,
        answers={202: ExportOut},
    )
    def post(self, request: Request) -> Response:
        given = self.payload(AskExport)
        by = services.Asker.member(self.member)
        if given["kind"] == ExportRequest.Kind.TENANT:
            return Response(export_json(services.ask_for_tenant(by=by)), status=202)
        customer = customer_for_member(self.member, given["customer"])
        export = services.ask(customer, by=by, notes=given["notes"])
        return Response(export_json(export), status=202)


class ExportView(MemberApiView):
    """One export."""

    permissions: ClassVar = {"GET": Permission.PRIVACY, "DELETE": Permission.PRIVACY}

    @describe("get_export", "One export.", answers={200: ExportOut})
    def get(self, request: Request, export_id: UUID) -> Response:
        return Response(export_json(export_for_member(self.member, export_id)))

    @describe(
        "withdraw_export", "End it early and delete what was copied.", answers={200: ExportOut}
    )
    def delete(self, request: Request, export_id: UUID) -> Response:
        export = export_for_member(self.member, export_id)
        return Response(export_json(services.withdraw(export, by=self.member)))


class ExportFileView(MemberApiView):
    """What was copied."""

    permissions: ClassVar = {"POST": Permission.PRIVACY}

    @describe(
        "fetch_export",
        "The zip: JSON Lines, a page for people, and a manifest with hashes.",
        body=FetchExport,
        answers={(200, "application/zip"): OpenApiTypes.BINARY},
        problems=[409, 410, 429],
    )
    def post(self, request: Request, export_id: UUID) -> StreamingHttpResponse:
        export = export_for_member(self.member, export_id)
        given = self.payload(FetchExport)
        if bearer(self.http) is None:
            confirm_password(self.member.user, password=given.get("password", ""))
        return export_file(services.fetch_at_once(export, by=self.member))


def export_json(export: ExportRequest) -> dict[str, Any]:
    return {
        "id": export.id,
        "kind": export.kind,
        "customer": export.customer_id,
        "state": export.state,
        "percent": progress_of(export),
        "notes": export.notes,
        "rows": export.done,
        "bytes": export.size,
        "manifest_sha256": export.manifest_sha256,
        "created_at": export.created_at,
        "ready_at": export.ready_at,
        "expires_at": export.expires_at,
        "fetched_at": export.fetched_at,
    }
