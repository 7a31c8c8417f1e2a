"""Work that happens later: rows that must happen, and the doorbell that makes it happen soon.

The row is written in the transaction that makes it true and deleted by its handler's transaction.
A Celery message is only the doorbell: it may be lost, repeated or late. The sweep rings again for
whatever is due, with a growing pause and fairly among tenants.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

import structlog
from celery import current_app
from django.db import connection, transaction
from django.db.models import QuerySet
from kombu.exceptions import OperationalError

from tenants import tracing
from tenants.models import DueWork
from tenants.prepared import prepared_cursor
from tenants.scoping import current_tenant_id, tenant_scope

log = structlog.get_logger(__name__)

RUN_TASK = "tenants.run_due"
# After a failed ring the process leaves Redis alone for this long; the sweep rings meanwhile.
BREAKER_SECONDS = 5.0
# The longest pause between two rings. The long one keeps a queue without workers from filling up.
LONG_SECONDS, URGENT_SECONDS = 300, 40
# Of one tenant in one round of the sweep: the others come before its next ones.
SWEEP_SHARE = 50
SWEEP_LIMIT = 500


@dataclass(frozen=True, slots=True)
class Work:
    """One thing that is due, given to its handler."""

    tenant_id: UUID
    kind: str
    ref_id: UUID
    # When it was due as its handler was called; None takes the row whenever it is due.
    due_at: datetime | None = None

    def scope(self) -> AbstractContextManager[UUID]:
        """The tenant's scope; never held during a model call."""
        return tenant_scope(self.tenant_id)

    def snapshot(self) -> AbstractContextManager[UUID]:
        """The same, with all reads of one moment.

        `done()` belongs into another scope: the sweep writes on the work's row meanwhile.
        """
        return tenant_scope(self.tenant_id, snapshot=True)

    def done(self) -> None:
        """It happened: delete the row, in the handler's transaction.

        A row that was scheduled anew meanwhile stays: it means another time, or a newer truth.
        """
        rows = _rows(self.tenant_id, self.kind, self.ref_id)
        (rows.filter(due_at=self.due_at) if self.due_at else rows).delete()

    def hold(self, seconds: float) -> "Work | None":
        """Takes it for so long, for a handler that waits on somebody else outside any scope.

        Rung for a second time it would be done twice meanwhile. None when another one has it or it
        is not due any more; a holder that dies gives it back when the time is over.
        """
        held = _held(self, seconds)
        return None if held is None else replace(self, due_at=held)

    def again(self, seconds: float) -> None:
        """Not yet: due again in so many seconds, by the database's clock."""
        _upsert(self.tenant_id, self.kind, self.ref_id, seconds=seconds, at=None)


Handler = Callable[[Work], None]


_queues: dict[str, str] = {}
_everywhere: set[str] = set()
_urgent: set[str] = set()
_handlers: dict[str, Handler] = {}


def kind(name: str, *, queue: str, everywhere: bool = False, urgent: bool = False) -> str:
    """Name a kind of work and its queue, in the module that schedules it, for every process.

    Work that goes on `everywhere` has one row a tenant, always, named after the tenant. For what is
    `urgent` somebody waits, and not for long: the pause between its rings does not grow beyond
    `URGENT_SECONDS`, so that a bad day's lost doorbells do not cost a turn its deadline.
    """
    _queues[name] = queue
    if urgent:
        _urgent.add(name)
    if everywhere:
        _everywhere.add(name)
    return name


def queues() -> list[str]:
    """The names of the queues that kinds go by."""
    return sorted(set(_queues.values()))


def handles(name: str) -> Callable[[Handler], Handler]:
    """Name the handler of a kind, in the app's tasks.py: workers know it. It must be idempotent."""

    def keep(handler: Handler) -> Handler:
        _handlers[name] = handler
        return handler

    return keep


def schedule(kind: str, ref_id: UUID, *, after: float = 0, at: datetime | None = None) -> None:
    """Make it true, in the caller's transaction, that this must happen; rings if due now."""
    tenant_id = current_tenant_id()
    _upsert(tenant_id, kind, ref_id, seconds=after, at=at)
    if at is None and after <= 0:
        transaction.on_commit(lambda: ring(tenant_id, kind, ref_id), robust=True)


_CANCEL = "DELETE FROM tenants_duework WHERE tenant_id = %s AND kind = %s AND ref_id = %s"


def cancel(kind: str, ref_id: UUID) -> None:
    """It need not happen any more."""
    with prepared_cursor() as cursor:
        cursor.execute(_CANCEL, [current_tenant_id(), kind, ref_id])


def run(tenant_id: UUID, kind: str, ref_id: UUID) -> None:
    """Hand one piece of work to its handler. A row that is gone has been done already."""
    found = _rows(tenant_id, kind, ref_id).values_list("due_at", "trace").first()
    if found is None:
        return
    due_at, trace = found
    with tracing.span(f"due {kind}", after=trace, work=kind, tenant=tenant_id, ref=ref_id):
        _handlers[kind](Work(tenant_id, kind, ref_id, due_at))


_silent_until = 0.0


def ring(tenant_id: UUID, kind: str, ref_id: UUID) -> bool:
    """Send the doorbell. Never raises and never waits long: a silent Redis must not slow a post."""
    global _silent_until  # noqa: PLW0603 - the breaker is the process's
    if time.monotonic() < _silent_until:
        return False
    try:
        current_app.send_task(
            RUN_TASK,
            kwargs={"tenant_id": str(tenant_id), "kind": kind, "ref_id": str(ref_id)},
            queue=_queues[kind],
        )
    except (OperationalError, OSError) as error:
        _silent_until = time.monotonic() + BREAKER_SECONDS
        log.warning("doorbell_failed", kind=kind, error=type(error).__name__)
        return False
    return True


# What is due and not rung lately; the pause doubles with every try, from 10 s to the longest of its
# kind. Ranked within each tenant, so that one tenant's flood does not stand before the others.
_DUE = """
UPDATE tenants_duework SET sent_at = now(), tries = tries + 1
WHERE id IN (
  SELECT id FROM (
    SELECT id, due_at, row_number() OVER (PARTITION BY tenant_id ORDER BY due_at) AS place
    FROM tenants_duework
    WHERE due_at <= now() AND (
      sent_at IS NULL
      OR sent_at < now() - LEAST(10 * 2 ^ LEAST(tries, 5),
        CASE WHEN kind = ANY(%(urgent)s) THEN %(soon)s ELSE %(late)s END) * interval '1 second'
    )
  ) ranked
  WHERE place <= %(share)s ORDER BY place, due_at LIMIT %(limit)s
)
RETURNING tenant_id, kind, ref_id
"""


def sweep() -> int:
    """Ring for all that is due and unsent; returns how many. Two sweeps at once are harmless."""
    with connection.cursor() as cursor:
        cursor.execute(
            _DUE,
            {
                "urgent": sorted(_urgent),
                "soon": URGENT_SECONDS,
                "late": LONG_SECONDS,
                "share": SWEEP_SHARE,
                "limit": SWEEP_LIMIT,
            },
        )
        found = cursor.fetchall()
    return sum(ring(tenant_id, kind, ref_id) for tenant_id, kind, ref_id in found)


# Only what is missing: a row that is there knows when it is due.
_ENSURE = """
INSERT INTO tenants_duework (tenant_id, kind, ref_id, due_at, tries)
SELECT t.id, kind, t.id, clock_timestamp(), 0
FROM tenants_tenant t, unnest(%s::text[]) kind WHERE t.status = 'active'
ON CONFLICT (tenant_id, kind, ref_id) DO NOTHING
"""


def ensure() -> int:
    """See to it that what goes on everywhere is due everywhere; returns how many rows were not."""
    with connection.cursor() as cursor:
        cursor.execute(_ENSURE, [sorted(_everywhere)])
        return int(cursor.rowcount)


# `sent_at` is cleared, so that the sweep rings as soon as it is due. The newest cause is the trace.
_UPSERT = """
INSERT INTO tenants_duework (tenant_id, kind, ref_id, due_at, tries, trace)
VALUES (%(tenant)s, %(kind)s, %(ref)s,
  COALESCE(%(at)s::timestamptz, clock_timestamp() + %(seconds)s * interval '1 second'),
  0, %(trace)s)
ON CONFLICT (tenant_id, kind, ref_id)
DO UPDATE SET due_at = EXCLUDED.due_at, sent_at = NULL, tries = 0, trace = EXCLUDED.trace
"""


def _upsert(
    tenant_id: UUID, kind: str, ref_id: UUID, *, seconds: float, at: datetime | None
) -> None:
    with prepared_cursor() as cursor:
        cursor.execute(
            _UPSERT,
            {
                "tenant": tenant_id,
                "kind": kind,
                "ref": ref_id,
                "at": at,
                "seconds": seconds,
                "trace": tracing.place(),
            },
        )


_HOLD = """
UPDATE tenants_duework SET due_at = clock_timestamp() + %s * interval '1 second', sent_at = NULL
WHERE tenant_id = %s AND kind = %s AND ref_id = %s AND due_at = %s AND due_at <= clock_timestamp()
RETURNING due_at
"""


def _held(work: Work, seconds: float) -> datetime | None:
    with connection.cursor() as cursor:
        cursor.execute(_HOLD, [seconds, work.tenant_id, work.kind, work.ref_id, work.due_at])
        found = cursor.fetchone()
    return found[0] if found else None


def _rows(tenant_id: UUID, kind: str, ref_id: UUID) -> QuerySet[DueWork]:
    return DueWork.objects.filter(tenant_id=tenant_id, kind=kind, ref_id=ref_id)
