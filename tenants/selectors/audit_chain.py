"""The hash chain of a tenant's record, read and recomputed link by link.

The hashes are made by the database and checked here, so that one mistake is not made twice: each is
SHA-256 over the hash before, the entry's place, a blank and the entry as a JSON array.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from django.db import connection

from tenants.models import AuditLink
from tenants.scoping import current_tenant_id, tenant_scope

BATCH = 2000


class Head(NamedTuple):
    """The end of a chain. Kept elsewhere, it shows later whether newer entries were cut off."""

    seq: int
    hash: str


class Link(NamedTuple):
    """One link, with what its entry says today; no text where the entry is gone."""

    seq: int
    entry_id: UUID
    hash: bytes
    payload: str | None


class Broken(Exception):
    """The first place at which the record is not what it was, in words."""


def head() -> Head:
    """The chain's end in the open scope; 0 before the first entry has committed."""
    last = AuditLink.objects.order_by("-seq").first()
    return Head(last.seq, bytes(last.hash).hex()) if last else Head(0, "")


def verify(tenant_id: UUID, *, noted: Head | None = None) -> Iterator[Head]:
    """Walks the chain from its first link, in short scopes; raises `Broken` at the first break.

    Yields the head after each batch. `noted` is a head that somebody kept: it must still be there.
    """
    at, value = 0, b""
    while batch := _links(tenant_id, at):
        for link in batch:
            value = _checked(link, at, value)
            at = link.seq
            if noted is not None and at == noted.seq and value.hex() != noted.hash:
                raise Broken(f"link {at} is not the one that was noted: the chain was rewritten")
        yield Head(at, value.hex())
    if noted is not None and noted.seq > at:
        raise Broken(f"the chain ends at link {at}: entries up to {noted.seq} were cut off")
    if stray := _unchained(tenant_id):
        raise Broken(f"entry {stray} stands in no link: it was put in past the chain")


def hash_of(seq: int, payload: str, before: bytes) -> bytes:
    """What the link at this place must hold."""
    return sha256(before + f"{seq} {payload}".encode()).digest()


def _checked(link: Link, last: int, before: bytes) -> bytes:
    if link.seq != last + 1:
        raise Broken(f"link {last + 1} is missing; the next one is {link.seq}")
    if link.payload is None:
        raise Broken(f"entry {link.entry_id} of link {link.seq} was deleted")
    if hash_of(link.seq, link.payload, before) != link.hash:
        raise Broken(f"entry {link.entry_id} of link {link.seq} was changed")
    return link.hash


_LINKS = """
SELECT l.seq, l.id, l.hash, CASE WHEN e.id IS NOT NULL THEN audit_payload(e) END
FROM (SELECT * FROM tenants_auditlink WHERE tenant_id = %(tenant)s AND seq > %(after)s
      ORDER BY seq LIMIT %(limit)s) l
LEFT JOIN tenants_auditentry e ON e.id = l.id AND e.tenant_id = %(tenant)s
ORDER BY l.seq
"""


def _links(tenant_id: UUID, after: int) -> list[Link]:
    values: dict[str, UUID | int] = {"tenant": tenant_id, "after": after, "limit": BATCH}
    with tenant_scope(tenant_id), connection.cursor() as cursor:
        cursor.execute(_LINKS, values)
        return [Link(seq, row, bytes(value), text) for seq, row, value, text in cursor.fetchall()]


_UNCHAINED = """
SELECT e.id FROM tenants_auditentry e
WHERE e.tenant_id = %s AND NOT EXISTS (SELECT FROM tenants_auditlink l WHERE l.id = e.id)
ORDER BY e.created_at, e.id LIMIT 1
"""


def _unchained(tenant_id: UUID) -> UUID | None:
    with tenant_scope(tenant_id), connection.cursor() as cursor:
        cursor.execute(_UNCHAINED, [current_tenant_id()])
        row = cursor.fetchone()
    return row[0] if row else None
