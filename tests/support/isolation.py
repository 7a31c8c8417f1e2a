"""Ways in which one tenant might reach another's row; none may see or change anything.

Each operation runs inside the scope of `attempt.mine` and aims at `attempt.theirs`, a row of
another tenant. It returns what it saw or changed of the other tenant: anything but an empty answer
is a leak. Other test modules may add operations of their own with `@operation`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError, IntegrityError, connection, models, transaction

from tenants.constraints import TenantForeignKey
from tenants.scoping import TenantScopedModel, new_id


@dataclass(frozen=True)
class Attempt:
    """A row of the open scope and one of the same table in another tenant."""

    mine: TenantScopedModel
    theirs: TenantScopedModel
    random: Random

    @property
    def model(self) -> Any:
        return type(self.mine)

    @property
    def table(self) -> str:
        return connection.ops.quote_name(self.model._meta.db_table)

    def links(self) -> list[models.ForeignKey[Any, Any]]:
        """Keys to other rows of tenants that the foreign row has."""
        return [
            field
            for field in self.model._meta.concrete_fields
            if isinstance(field, models.ForeignKey)
            and issubclass(field.related_model, TenantScopedModel)
            and getattr(self.theirs, field.attname)
        ]


Operation = Callable[[Attempt], Any]
OPERATIONS: list[Operation] = []


def operation(act: Operation) -> Operation:
    """One more way to try."""
    OPERATIONS.append(act)
    return act


@operation
def find_by_id(attempt: Attempt) -> Any:
    return list(attempt.model.objects.filter(pk=attempt.theirs.pk))


@operation
def find_by_id_through_the_raw_manager(attempt: Attempt) -> Any:
    return attempt.model.raw.filter(pk=attempt.theirs.pk).first()


@operation
def find_by_tenant_through_the_raw_manager(attempt: Attempt) -> Any:
    return attempt.model.raw.filter(tenant_id=attempt.theirs.tenant_id).count()


@operation
def read_everything_through_the_raw_manager(attempt: Attempt) -> Any:
    found = set(attempt.model.raw.values_list("tenant_id", flat=True)[:1000])
    return found - {attempt.mine.tenant_id}


@operation
def leave_out_the_own_rows(attempt: Attempt) -> Any:
    return attempt.model.raw.exclude(tenant_id=attempt.mine.tenant_id).exists()


@operation
def fetch_in_bulk(attempt: Attempt) -> Any:
    return attempt.model.raw.in_bulk([attempt.theirs.pk])


@operation
def reload_a_foreign_row(attempt: Attempt) -> Any:
    held = attempt.model(pk=attempt.theirs.pk, tenant_id=attempt.theirs.tenant_id)

    def act() -> Any:
        held.refresh_from_db()
        return held

    return _unless(ObjectDoesNotExist, act)


@operation
def follow_a_key(attempt: Attempt) -> Any:
    links = attempt.links()
    if not links:
        return None
    link = attempt.random.choice(links)
    stray = attempt.model(**{link.attname: getattr(attempt.theirs, link.attname)})
    return _unless(ObjectDoesNotExist, lambda: getattr(stray, link.name))


@operation
def look_through_a_key(attempt: Attempt) -> Any:
    return [
        attempt.model.raw.filter(**{f"{link.name}__tenant_id": attempt.theirs.tenant_id}).exists()
        or attempt.model.raw.filter(**{link.name: getattr(attempt.theirs, link.attname)}).exists()
        for link in attempt.links()[:1]
    ] not in ([], [False])


@operation
def join_along_a_key(attempt: Attempt) -> Any:
    names = [link.name for link in attempt.links()]
    if not names:
        return None
    rows = attempt.model.raw.select_related(*names).filter(pk=attempt.theirs.pk)
    return list(rows) or attempt.model.raw.prefetch_related(*names).filter(pk=attempt.theirs.pk)


@operation
def change_by_id(attempt: Attempt) -> Any:
    foreign = attempt.model.raw.filter(pk=attempt.theirs.pk)
    return _refused(lambda: foreign.update(created_at="2001-01-01T00:00Z"))


@operation
def change_a_whole_tenant(attempt: Attempt) -> Any:
    foreign = attempt.model.raw.filter(tenant_id=attempt.theirs.tenant_id)
    return _refused(lambda: foreign.update(created_at="2001-01-01T00:00Z"))


@operation
def save_a_foreign_row(attempt: Attempt) -> Any:
    return _refused(lambda: attempt.theirs.save(update_fields=["created_at"]))


@operation
def delete_by_id(attempt: Attempt) -> Any:
    foreign = attempt.model.raw.filter(pk=attempt.theirs.pk)
    return _refused(lambda: foreign.delete()[0])


@operation
def select_as_sql(attempt: Attempt) -> Any:
    return _sql(f"SELECT id FROM {attempt.table} WHERE id = %s", attempt.theirs.pk)


@operation
def select_all_as_sql(attempt: Attempt) -> Any:
    return _sql(f"SELECT 1 FROM {attempt.table} WHERE tenant_id <> %s", attempt.mine.tenant_id)


@operation
def count_with_an_injected_or(attempt: Attempt) -> Any:
    mine, theirs = attempt.mine.tenant_id, attempt.theirs.tenant_id
    return _sql(
        f"SELECT 1 FROM {attempt.table} WHERE (tenant_id = %s OR true) AND tenant_id = %s",
        mine,
        theirs,
    )


@operation
def join_a_foreign_row_as_sql(attempt: Attempt) -> Any:
    return _sql(
        f"SELECT 1 FROM {attempt.table} a LEFT JOIN {attempt.table} b ON b.id = %s"
        " WHERE b.id IS NOT NULL",
        attempt.theirs.pk,
    )


@operation
def update_as_sql(attempt: Attempt) -> Any:
    statement = f"UPDATE {attempt.table} SET created_at = now() WHERE id = %s RETURNING 1"
    return _sql(statement, attempt.theirs.pk)


@operation
def steal_as_sql(attempt: Attempt) -> Any:
    """Make a foreign row one's own."""
    statement = f"UPDATE {attempt.table} SET tenant_id = %s WHERE id = %s RETURNING 1"
    return _sql(statement, attempt.mine.tenant_id, attempt.theirs.pk)


@operation
def give_away_as_sql(attempt: Attempt) -> Any:
    """Put one's own row among another's."""
    statement = f"UPDATE {attempt.table} SET tenant_id = %s WHERE id = %s RETURNING 1"
    return _sql(statement, attempt.theirs.tenant_id, attempt.mine.pk)


@operation
def delete_as_sql(attempt: Attempt) -> Any:
    statement = f"DELETE FROM {attempt.table} WHERE tenant_id = %s RETURNING 1"
    return _sql(statement, attempt.theirs.tenant_id)


@operation
def insert_among_another_s(attempt: Attempt) -> Any:
    """A copy of one's own row that names the other tenant."""
    return _copy(attempt, {"tenant_id": attempt.theirs.tenant_id})


@operation
def insert_with_the_orm(attempt: Attempt) -> Any:
    stray = attempt.model.raw.get(pk=attempt.mine.pk)
    stray.pk, stray.tenant_id = new_id(), attempt.theirs.tenant_id
    return _refused(lambda: attempt.model.raw.bulk_create([stray]))


@operation
def link_to_a_foreign_row(attempt: Attempt) -> Any:
    """The composite key refuses, at the latest at commit."""
    links = [link for link in attempt.links() if has_composite_key(link)]
    if not links:
        return None
    link = attempt.random.choice(links)
    foreign = getattr(attempt.theirs, link.attname)

    def act() -> Any:
        mine = attempt.model.raw.filter(pk=attempt.mine.pk)
        changed = mine.update(**{link.attname: foreign})
        connection.check_constraints()
        return changed

    return _refused(act)


@operation
def switch_row_security_off(attempt: Attempt) -> Any:
    def act() -> Any:
        _execute("SET LOCAL row_security = off")
        return _execute(f"SELECT 1 FROM {attempt.table} LIMIT 1")

    return _refused(act)


@operation
def become_another_role(attempt: Attempt) -> Any:
    role = attempt.random.choice(["desk_owner", "desk_search", "desk_backup"])
    return _refused(lambda: _execute(f"SET LOCAL ROLE {role}"))


def has_composite_key(link: models.ForeignKey[Any, Any]) -> bool:
    """Whether the database ties this link to the row's tenant."""
    return any(
        isinstance(constraint, TenantForeignKey) and constraint.field == link.name
        for constraint in link.model._meta.constraints
    )


def _copy(attempt: Attempt, changed: dict[str, Any]) -> Any:
    changed = {"id": new_id(), **changed}
    columns = [field.column for field in attempt.model._meta.concrete_fields]
    chosen = ", ".join("%s" if name in changed else f'"{name}"' for name in columns)
    named = ", ".join(f'"{name}"' for name in columns)
    values = [changed[name] for name in columns if name in changed]
    return _sql(
        f"INSERT INTO {attempt.table} ({named}) SELECT {chosen} FROM {attempt.table}"
        " WHERE id = %s RETURNING 1",
        *values,
        attempt.mine.pk,
    )


def _sql(statement: str, *values: Any) -> Any:
    return _refused(lambda: _execute(statement, *values))


def _execute(statement: str, *values: Any) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def _refused(act: Callable[[], Any]) -> Any:
    """Empty when the database says no, which is as good as seeing nothing."""
    try:
        with transaction.atomic():
            return act()
    except (DatabaseError, IntegrityError):
        return None


def _unless(refusal: type[Exception], act: Callable[[], Any]) -> Any:
    try:
        return act()
    except refusal:
        return None
