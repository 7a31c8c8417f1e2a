"""Certificates, and the public keys by which anybody checks them."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import Q

from conversations.models import Certificate, SigningKey
from tenants import signing


def certificates(*, before: UUID | None = None, limit: int = 50) -> list[Certificate]:
    """Of the open scope's tenant, newest first; `before` is the last one of the page before."""
    found = Certificate.objects.order_by("-created_at", "-id")
    last = Certificate.objects.filter(id=before).first() if before else None
    if last is not None:
        older = Q(created_at__lt=last.created_at) | Q(created_at=last.created_at, id__lt=last.id)
        found = found.filter(older)
    return list(found[:limit])


class KnownKey(NamedTuple):
    """A public key of this installation; no date before its first certificate."""

    public_key: str
    since: datetime | None


def known_keys() -> list[KnownKey]:
    """The key that signs today and every one that ever signed."""
    stored = SigningKey.objects.order_by("-created_at")
    keys = [KnownKey(key.public_key, key.created_at) for key in stored]
    today = signing.own_public_key()
    missing = today not in {key.public_key for key in keys}
    return [KnownKey(today, None), *keys] if missing else keys
