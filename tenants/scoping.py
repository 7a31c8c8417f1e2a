"""The wall between tenants: no row is read or written outside `tenant_scope()`.

Three layers hold it. The manager filters (belt); PostgreSQL's row-level security refuses (braces),
loudly, because an erasure that forgot its tenant must fail and not report "0 rows"; composite
foreign keys make a cross-tenant link impossible (floor, see constraints.py).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connection, connections, models, transaction
from django.db.models.functions import Now
from psycopg.pq import ExecStatus
from uuid_utils.compat import uuid7

from tenants.prepared import prepared_cursor, server_cursor

_current: ContextVar[UUID | None] = ContextVar("tenant", default=None)

_Row = TypeVar("_Row", bound=models.Model)


class NoTenantScope(RuntimeError):
    """A tenant's row was touched outside a scope: a bug in the caller, never a user's mistake."""


def new_id() -> UUID:
    """A UUIDv7: ordered by time, so that index pages fill one after the other."""
    return uuid7()


def current_tenant_id() -> UUID:
    """The tenant of the open scope; raises `NoTenantScope` when there is none."""
    tenant_id = _current.get()
    if tenant_id is None:
        raise NoTenantScope("No tenant scope is open. Enter through a gate or tenant_scope().")
    return tenant_id


def scope_is_open() -> bool:
    return _current.get() is not None


@contextmanager
def tenant_scope(tenant_id: UUID | str, *, snapshot: bool = False) -> Iterator[UUID]:
    """One transaction in which only this tenant's rows exist.

    Guarantees: the setting ends with the transaction, so a pooled connection carries nothing over;
    a scope of another tenant inside is refused. Never open it in a coroutine, and never hold it
    during a model call or while a stream idles. With `snapshot` all its reads see one moment, and
    writing a row that somebody else has changed since then raises.
    """
    wanted = tenant_id if isinstance(tenant_id, UUID) else UUID(tenant_id)
    outer = _current.get()
    if outer is not None:
        if outer != wanted:
            raise NoTenantScope("A scope of another tenant is open; close it first.")
        with transaction.atomic():
            yield wanted
        return
    token = _current.set(wanted)
    borrowed = connection.in_atomic_block
    try:
        with transaction.atomic():
            if snapshot and not borrowed:
                # Before any query of the transaction, or PostgreSQL refuses it.
                _see_one_moment()
                _set_tenant(str(wanted))
            else:
                _enter(wanted, borrowed=borrowed)
            yield wanted
            if borrowed:
                # Inside somebody else's transaction (a test, the shell) the setting would live on.
                _set_tenant("")
    finally:
        _current.reset(token)


def read_alone(tenant_id: UUID | str, sql: str, values: Sequence[Any]) -> list[Any]:
    """The rows of one SELECT, as a scope of its own would see them, for one trip to the server.

    For hand SQL that a turn sends, as `prepared_cursor`. In an open scope of this tenant it is read
    there; another tenant's is refused.
    """
    wanted = tenant_id if isinstance(tenant_id, UUID) else UUID(tenant_id)
    own = connections[DEFAULT_DB_ALIAS]
    own.ensure_connection()
    if scope_is_open() or own.in_atomic_block or not _is_plain(own):
        with tenant_scope(wanted), prepared_cursor() as cursor:
            cursor.execute(sql, values)
            return list(cursor.fetchall())
    # What stands between two syncs of a pipeline is a transaction, and the setting ends with it.
    with own.wrap_database_errors, own.connection.pipeline():
        server_cursor(own).execute(_SET_ALONE, [str(wanted)])
        found = server_cursor(own).execute(sql, values)
    # After the sync at the pipeline's end: asked for within, they would cost a trip of their own.
    return list(found.fetchall())


# One plan for all: where talks differ much in length, the server would plan anew for each.
_SET_ALONE = (
    "SELECT set_config('app.tenant_id', %s, true),"
    " set_config('plan_cache_mode', 'force_generic_plan', true)"
)


def _is_plain(own: Any) -> bool:
    """Whether nobody counts or shapes the statements of this connection."""
    watched = own.queries_logged or own.execute_wrappers
    return not watched and own.connection.isolation_level is None


def _see_one_moment() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


def _enter(tenant_id: UUID, *, borrowed: bool) -> None:
    """Begin and set the tenant in one round trip, where nobody counts or shapes the statements.

    Every turn and request opens scopes; the driver would send BEGIN and the setting one by one.
    What fails here fails again below, as the driver's own error.
    """
    own = connections[DEFAULT_DB_ALIAS]
    if not borrowed and _is_plain(own):
        with own.wrap_database_errors:
            answer = own.connection.pgconn.exec_(_BEGIN % str(tenant_id).encode())
        if answer.status == ExecStatus.COMMAND_OK:
            return
    _set_tenant(str(tenant_id))


# The same as `set_config(…, true)` below, without a plan and a row to send back.
_BEGIN = b"BEGIN; SET LOCAL app.tenant_id = '%s'"


_SET = "SELECT set_config('app.tenant_id', %s, true)"


def _set_tenant(value: str) -> None:
    with prepared_cursor() as cursor:
        cursor.execute(_SET, [value])


class TenantManager(models.Manager[_Row]):
    """Returns only the open scope's rows; outside a scope every use raises."""

    def get_queryset(self) -> models.QuerySet[_Row]:
        return super().get_queryset().filter(tenant_id=current_tenant_id())


class TenantKey(models.ForeignKey[Any, Any]):
    """The tenant of a row, filled from the open scope.

    No index of its own: every index of a tenant's table begins with the tenant already. Migrations
    see a plain key without the default, which no scope could fill there.
    """

    def __init__(self, **options: Any) -> None:
        options |= {"to": "tenants.Tenant", "on_delete": models.CASCADE, "related_name": "+"}
        options |= {"db_index": False, "editable": False, "default": current_tenant_id}
        super().__init__(**options)

    def deconstruct(self) -> Any:
        name, _, args, options = super().deconstruct()
        del options["default"]
        return name, "django.db.models.ForeignKey", args, options


class TenantScopedModel(models.Model):
    """A row that belongs to exactly one tenant, taken from the open scope."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tenant = TenantKey()
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    # Foreign-key access and cascades come here; row-level security is their wall.
    raw = models.Manager()
    objects = TenantManager()

    class Meta:
        abstract = True
        base_manager_name = "raw"
        default_manager_name = "objects"
