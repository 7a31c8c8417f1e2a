"""The record's own end: long after its tenant's, by the operator's hand and the owner's role."""

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from tenants.models import Actor, AuditEntry, AuditKey, Member, Tenant
from tenants.scoping import tenant_scope
from tenants.selectors.audit_chain import head
from tenants.services import audit

BATCH = 5000


class NotTheOwner(Exception):
    """The runtime role may delete no entry; only desk_owner can."""


def ended(*, days: int) -> list[Tenant]:
    """Tenants whose end was carried out and whose record has been silent for so many days.

    Carried out means: closed, nobody left in the team, and the key of the pseudonyms destroyed.
    """
    _refuse_the_runtime_role()
    late = timezone.now() - timedelta(days=days)
    of_it = {"tenant": OuterRef("pk")}
    return list(
        Tenant.objects.filter(
            Exists(AuditEntry.raw.filter(**of_it)),
            ~Exists(Member.raw.filter(**of_it)),
            ~Exists(AuditKey.raw.filter(**of_it)),
            ~Exists(AuditEntry.raw.filter(**of_it, created_at__gt=late)),
            status=Tenant.Status.CLOSED,
        ).order_by("slug")
    )


def forget(tenant: Tenant) -> Iterator[int]:
    """Deletes the record in batches; yields how many entries each took. It may be repeated.

    The platform's own record keeps that it was done, and where the chain ended.
    """
    with tenant_scope(tenant.id):
        end = head()
        audit.record_for_platform(
            "audit.forgotten",
            by=None,
            kind=Actor.SYSTEM,
            target=tenant,
            detail={"seq": end.seq, "hash": end.hash},
        )
    while taken := _take(tenant.id):
        yield taken


# The newest first: a run that was broken off leaves a chain that is whole as far as it goes.
_TAKE = """
WITH taken AS (
  DELETE FROM tenants_auditlink WHERE id IN (
    SELECT id FROM tenants_auditlink WHERE tenant_id = %s ORDER BY seq DESC LIMIT %s)
  RETURNING id)
DELETE FROM tenants_auditentry WHERE id IN (SELECT id FROM taken)
"""


def _take(tenant_id: UUID) -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_TAKE, [tenant_id, BATCH])
        return int(cursor.rowcount)


def _refuse_the_runtime_role() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_table_privilege('tenants_auditentry', 'DELETE')")
        row = cursor.fetchone()
    if not (row and row[0]):
        raise NotTheOwner
