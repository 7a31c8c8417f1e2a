"""Certificates: what was done, in figures and codes, signed so that anybody can check it."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from conversations.models import Certificate, SigningKey
from tenants import signing
from tenants.models import Tenant
from tenants.scoping import current_tenant_id, new_id
from tenants.selectors.audit_chain import head
from tenants.services import audit

FORMAT = "turnstone-certificate/1"
_LONGEST = 300


class PersonalFact(ValueError):
    """A fact that could name somebody: a bug in the caller, refused before it is signed."""


@transaction.atomic
def issue(kind: str, *, facts: dict[str, Any], by: audit.Who | None = None) -> Certificate:
    """Signs the facts and keeps them; nothing in them may name a person.

    `facts` holds numbers, codes, ids, times and the desk's own sentences. By custom: `counts`
    (store → rows), `started_at`, `finished_at`, `scanner` (version), `hashes`, and `remains`, a
    list of `{"what", "why", "until"}`.
    """
    certificate_id = new_id()
    body = canonical(
        {
            "format": FORMAT,
            "id": certificate_id,
            "kind": Certificate.Kind(kind).value,
            "workspace": _workspace(),
            "issued_at": timezone.now(),
            "facts": _harmless(facts),
            # Handed out and kept elsewhere, it shows later whether the record was rewritten.
            "audit": head()._asdict(),
        }
    )
    signature = signing.sign(body.encode())
    _publish(signature.public_key)
    certificate = Certificate.objects.create(
        id=certificate_id,
        kind=kind,
        body=body,
        signature=signature.value,
        public_key=signature.public_key,
    )
    audit.record(
        "certificate.issued",
        by=by or audit.job("certificates"),
        target=certificate,
        detail={"kind": kind},
    )
    return certificate


def canonical(document: dict[str, Any]) -> str:
    """The one spelling that is signed: keys in order, no blanks, times in UTC."""
    return json.dumps(
        document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_spelled
    )


def _workspace() -> dict[str, Any]:
    tenant = Tenant.objects.get(id=current_tenant_id())
    return {"id": tenant.id, "slug": tenant.slug, "name": tenant.name}


def _spelled(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(timezone.get_fixed_timezone(0)).isoformat(timespec="seconds")
    if isinstance(value, UUID):
        return str(value)
    raise PersonalFact(f"{type(value).__name__} has no place in a certificate")


def _harmless(facts: dict[str, Any]) -> dict[str, Any]:
    for text in _texts(facts):
        if "@" in text or len(text) > _LONGEST:
            raise PersonalFact("A fact looks like an address or like somebody's words.")
    return facts


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def _publish(public_key: str) -> None:
    SigningKey.objects.bulk_create([SigningKey(public_key=public_key)], ignore_conflicts=True)
