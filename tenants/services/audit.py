"""The append-only record of who did what to what: ids, codes and counts, never names or words."""

from typing import Any

from django.db import connection, models
from psycopg.types.json import Jsonb

from tenants.models import Actor, AuditEntry, Member, User
from tenants.scoping import current_tenant_id, new_id

Who = Member | Actor


def record(
    action: str,
    *,
    by: Who,
    target: models.Model | None = None,
    detail: dict[str, Any] | None = None,
) -> None:
    """One line of the open scope's tenant, in the transaction of what it records."""
    AuditEntry.objects.create(
        tenant_id=current_tenant_id(),
        actor_kind=Actor.MEMBER if isinstance(by, Member) else by,
        actor_id=by.id if isinstance(by, Member) else None,
        action=action,
        target_kind=target._meta.model_name or "" if target else "",
        target_id=target.pk if target else None,
        detail=detail or {},
    )


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
  (id, tenant_id, actor_kind, actor_id, action, target_kind, target_id, detail)
VALUES
  (%(id)s, NULL, %(kind)s, %(actor)s, %(action)s, %(target_kind)s, %(target)s, %(detail)s)
"""
