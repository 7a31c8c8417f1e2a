"""Taking away all rows of the open scope's tenant, children before parents, some at a time."""

from typing import Any

from django.apps import apps
from django.db import IntegrityError, connection, models, transaction

from conversations.models import Certificate, TenantEnd
from tenants.models import AuditEntry, AuditKey, AuditLink, DueWork, Member, Tenant
from tenants.scoping import TenantScopedModel, current_tenant_id

BATCH = 1000
# What is left of a tenant: the record, which nobody may delete, and the proof of its end. The key
# of the pseudonyms goes last, by a hand of its own.
STAYS: frozenset[type[models.Model]] = frozenset(
    {AuditEntry, AuditLink, AuditKey, Certificate, TenantEnd}
)
_SETTINGS = (
    "name", "locale", "time_zone", "colour", "agent_name", "greeting", "hours", "link_hosts",
)  # fmt: skip


def tables() -> list[type[TenantScopedModel]]:
    """All tables that are emptied, each before those that it points to."""
    ours = [model for model in apps.get_models() if issubclass(model, TenantScopedModel)]
    ordered: list[type[TenantScopedModel]] = []

    def add(model: type[TenantScopedModel]) -> None:
        if model in ordered:
            return
        for child in ours:
            if child is not model and _points_to(child, model):
                add(child)
        ordered.append(model)

    for model in ours:
        add(model)
    return [model for model in ordered if model not in STAYS]


def counts() -> dict[str, int]:
    """How many rows there are, by table; tables without any are not named."""
    found = {model._meta.label: model.raw.filter(tenant=_tenant()).count() for model in tables()}
    return {name: count for name, count in found.items() if count}


def take_some() -> tuple[str, int]:
    """A batch of the first table that has rows: its name and how many; 0 when all are empty."""
    for model in tables():
        rows = _people() if model is Member else _rows_of(model._meta.db_table)
        if rows:
            return model._meta.label, rows
    due = DueWork.objects.filter(tenant_id=_tenant()).exclude(kind="tenant_end").delete()[0]
    return DueWork._meta.label, due


def blank(tenant: Tenant) -> None:
    """The bare row: its address, so that it never means somebody else."""
    for name in _SETTINGS:
        field: models.Field[Any, Any] = Tenant._meta.get_field(name)  # type: ignore[assignment]
        setattr(tenant, name, "" if name == "name" else field.get_default())
    tenant.status = Tenant.Status.ENDED
    tenant.save(update_fields=[*_SETTINGS, "status"])


def _rows_of(table: str) -> int:
    """By place and not by key; the table's own policy keeps other tenants' rows out as well."""
    with connection.cursor() as cursor:
        cursor.execute(
            f'DELETE FROM "{table}" WHERE ctid = ANY(ARRAY('  # noqa: S608 - the name of our own table
            f'SELECT ctid FROM "{table}" WHERE tenant_id = %s LIMIT %s))',
            [_tenant(), BATCH],
        )
        return int(cursor.rowcount)


def _people() -> int:
    """Members, and the accounts of those who are in no other team."""
    batch = list(Member.raw.filter(tenant=_tenant()).values_list("pk", "user_id")[:BATCH])
    if not batch:
        return 0
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM tenants_member WHERE id = ANY(%s)", [[pk for pk, _ in batch]])
    for _, user_id in batch:
        _forget_account(user_id)
    return len(batch)


def _forget_account(user_id: Any) -> None:
    """Keys of the database know of places in other tenants, which nobody here may see."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("DELETE FROM tenants_user WHERE id = %s AND NOT is_staff", [user_id])
    except IntegrityError:
        return
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def _points_to(child: type[models.Model], parent: type[models.Model]) -> bool:
    fields = child._meta.concrete_fields
    return any(field.related_model is parent for field in fields)


def _tenant() -> Any:
    return current_tenant_id()
