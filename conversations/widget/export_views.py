"""A customer's copy of their own data: how far it is, and the file, once."""

from typing import Any
from uuid import UUID

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from conversations.access import export_for_customer
from conversations.gates.customers import WidgetView
from conversations.gates.files import export_file
from conversations.models import ExportRequest
from conversations.schema import Answer
from conversations.selectors.exports import own_exports
from conversations.services import exports, privacy_requests
from conversations.services.exporting import progress_of
from tenants.gates.fields import Nothing
from tenants.gates.schema import describe


class OwnExportOut(Answer):
    """A copy of your data: ready means that it can be fetched, once, until it expires."""

    id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=ExportRequest.State.choices)
    percent = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    can_be_fetched = serializers.BooleanField()


class OwnExportsOut(Answer):
    """The newest first."""

    results = OwnExportOut(many=True)


class OwnExportsView(WidgetView):
    """The copies that this customer has asked for."""

    @describe(
        "list_own_exports", "Copies of your data, newest first.", answers={200: OwnExportsOut}
    )
    def get(self, request: Request) -> Response:
        return Response({"results": [_json(row) for row in own_exports(self.customer)]})


class OwnExportFileView(WidgetView):
    """What was copied."""

    @describe(
        "fetch_own_export",
        "The zip, once; you must have signed in on the website.",
        body=Nothing,
        answers={(200, "application/zip"): OpenApiTypes.BINARY},
        problems=[409, 410],
    )
    def post(self, request: Request, export_id: UUID) -> StreamingHttpResponse:
        export = export_for_customer(self.customer, export_id)
        self.payload(Nothing)
        privacy_requests.require_proof(self.customer, token=self.token)
        return export_file(exports.fetch_own(export, customer=self.customer))


def _json(export: ExportRequest) -> dict[str, Any]:
    return {
        "id": export.id,
        "state": export.state,
        "percent": progress_of(export),
        "created_at": export.created_at,
        "expires_at": export.expires_at,
        "can_be_fetched": export.can_be_fetched and export.fetched_at is None,
    }
