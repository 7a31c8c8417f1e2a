"""The append-only record of who did what to what: ids, codes and counts, never names or words."""

import hmac
import secrets
from base64 import b64decode, b64encode
from datetime import timedelta
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, models
from django.db.models.functions import Now
from psycopg.types.json import Jsonb

from tenants import crypto
from tenants.models import Actor, AuditEntry, AuditKey, Member, User
from tenants.scoping import current_tenant_id, new_id

# Rows of data subjects, by the name of their model: the record knows them by pseudonym only.
SUBJECTS = frozenset({"customer", "conversation", "message"})
_ONE_READING = timedelta(minutes=10)
_SECRET = "audit_key.secret"  # noqa: S105 - the name of a field


class Doer(NamedTuple):
    """Who or what acted and is no member: a customer, staff, a rule or a job."""

    kind: Actor
    id: UUID | None = None
    code: str = ""


Who = Member | Actor | Doer


def customer(customer_id: UUID) -> Doer:
    """A customer, whom the record knows by pseudonym."""
    return Doer(Actor.CUSTOMER, pseudonym(customer_id))


def staff(user: User) -> Doer:
    return Doer(Actor.STAFF, user.id)


def rule(row: models.Model) -> Doer:
    """A rule that the tenant has set, such as a retention policy."""
    return Doer(Actor.RULE, row.pk, row._meta.model_name or "")


def job(code: str) -> Doer:
    """Work that the desk does by itself, by the name of its kind."""
    return Doer(Actor.JOB, None, code)


def record(
    action: str,
    *,
    by: Who,
    target: models.Model | None = None,
    detail: dict[str, Any] | None = None,
) -> AuditEntry:
    """One line of the open scope's tenant, in the transaction of what it records."""
    doer = _doer(by)
    return AuditEntry.objects.create(
        tenant_id=current_tenant_id(),
        actor_kind=doer.kind,
        actor_id=doer.id,
        actor_code=doer.code,
        action=action,
        target_kind=target._meta.model_name or "" if target else "",
        target_id=_target_id(target),
        detail=detail or {},
    )


def record_reading(page: str, *, by: Member, about: UUID | None = None) -> None:
    """That a teammate looked at a sensitive page; once in ten minutes for the same page."""
    subject = pseudonym(about) if about else None
    lately = AuditEntry.objects.filter(
        created_at__gt=Now() - _ONE_READING,
        actor_id=by.id,
        action="page.read",
        target_kind=page,
        target_id=subject,
    )
    if not lately.exists():
        AuditEntry.objects.create(
            tenant_id=current_tenant_id(),
            actor_kind=Actor.MEMBER,
            actor_id=by.id,
            action="page.read",
            target_kind=page,
            target_id=subject,
        )


def pseudonym(subject_id: UUID) -> UUID:
    """By what the record knows a customer, a conversation or a message of the open scope's tenant.

    The same subject always gets the same one, so that its lines can be found while the tenant's
    key exists; without the key nobody can tell whose they are.
    """
    key = _key()
    return UUID(bytes=hmac.digest(key, subject_id.bytes, sha256)[:16])


def forget_key() -> None:
    """At the tenant's end: from now on no pseudonym of its record leads to anybody."""
    AuditKey.objects.all().delete()


def record_for_platform(
    action: str,
    *,
    by: User | None,
    kind: Actor = Actor.STAFF,
    target: models.Model | None = None,
    detail: dict[str, Any] | None = None,
) -> None:
    """One line that belongs to no tenant: a sign-in or an act of platform staff.

    Hand SQL, because the ORM reads the row back and no runtime role may read such rows.
    """
    values: dict[str, Any] = {
        "id": new_id(),
        "kind": kind,
        "actor": by.id if by else None,
        "action": action,
        "target_kind": target._meta.model_name or "" if target else "",
        "target": target.pk if target else None,
        "detail": Jsonb(detail or {}),
    }
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, values)


_INSERT = """
INSERT INTO tenants_auditentry
  (id, tenant_id, actor_kind, actor_id, actor_code, action, target_kind, target_id, detail)
VALUES
  (%(id)s, NULL, %(kind)s, %(actor)s, '', %(action)s, %(target_kind)s, %(target)s, %(detail)s)
"""


def _doer(by: Who) -> Doer:
    if isinstance(by, Doer):
        return by
    return Doer(Actor.MEMBER, by.id) if isinstance(by, Member) else Doer(by)


def _target_id(target: models.Model | None) -> UUID | None:
    if target is None:
        return None
    found: UUID = target.pk
    return pseudonym(found) if target._meta.model_name in SUBJECTS else found


def _key() -> bytes:
    row = AuditKey.objects.first() or _new_key()
    return b64decode(crypto.decrypt(row.secret, field=_SECRET))


def _new_key() -> AuditKey:
    """Two at once: the second waits for the first at the unique index, and takes its key."""
    sealed = crypto.encrypt(b64encode(secrets.token_bytes(32)).decode(), field=_SECRET)
    AuditKey.objects.bulk_create([AuditKey(secret=sealed)], ignore_conflicts=True)
    return AuditKey.objects.get()
