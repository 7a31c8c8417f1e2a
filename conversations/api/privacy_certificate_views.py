"""Certificates for members' programs."""

import json
from typing import ClassVar
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from conversations.access import certificate_for_member
from conversations.models import Certificate
from conversations.schema import Answer
from tenants.gates.api import MemberApiView
from tenants.gates.schema import describe
from tenants.permissions import Permission
from tenants.services import audit


class CertificateOut(Answer):
    """What was certified. The answer, kept as a file, is what `verify_certificate` takes."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=Certificate.Kind.values)
    issued_at = serializers.DateTimeField()
    facts = serializers.DictField(help_text="Figures, codes and times; nothing personal.")
    body = serializers.CharField(help_text="What was signed, byte for byte in UTF-8.")
    algorithm = serializers.ChoiceField(choices=["Ed25519"])
    signature = serializers.CharField(help_text="Of `body`, in base64.")
    public_key = serializers.CharField(help_text="32 bytes in base64.")


class CertificateView(MemberApiView):
    """One certificate."""

    permissions: ClassVar = {"GET": Permission.PRIVACY}

    @describe("get_certificate", "One certificate, signed.", answers={200: CertificateOut})
    def get(self, request: Request, certificate_id: UUID) -> Response:
        certificate = certificate_for_member(self.member, certificate_id)
        audit.record_reading("certificate", by=self.member, about=certificate.id)
        return Response(
            {
                "id": certificate.id,
                "kind": certificate.kind,
                "issued_at": certificate.created_at,
                "facts": json.loads(certificate.body)["facts"],
                "body": certificate.body,
                "algorithm": "Ed25519",
                "signature": certificate.signature,
                "public_key": certificate.public_key,
            }
        )
