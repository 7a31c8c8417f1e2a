"""The round that carries policies out: marks what ends and when, then purges what has ended.

Hidden and gone are two things. A row is hidden by its own `expires_at` in the moment it says; the
purge comes later and may be late, killed or off. Every step is a short transaction of its own.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from conversations import live
from conversations.models import Conversation, Kind, RetentionRound, RetentionRun
from conversations.retained import Retained, retained
from conversations.selectors.holds import IS_HELD, held, in_force
from conversations.selectors.retention_law import Law, law
from conversations.services.purging import purge_conversations
from conversations.services.reckoning import BEGUN, mark_page, reckon, reckon_ends
from conversations.services.retention_files import take_files
from conversations.services.retention_logs import take_logs
from conversations.services.retention_people import take_people
from conversations.services.retention_reports import report
from conversations.services.retention_weighing import waiting, weigh, without_waiting
from tenants import due
from tenants.due import Work
from tenants.scoping import current_tenant_id

ROUND = due.kind("retention_round", queue="bulk", everywhere=True)

# Between two rounds: so much shorter than the shortest policy, a day, that nothing ends unmarked.
PAUSE = timedelta(hours=3)
# So many conversations and rows in one transaction of the purge. Nobody can write to what has
# ended, so nobody waits for these locks.
_TALKS, _ROWS = 200, 5000
# After each transaction the round rests for this part of the time that it took: a machine with few
# cores answers people first.
_COURTESY = 0.5


def restart() -> None:
    """The rules have changed: mark everything anew, now. In the caller's transaction."""
    RetentionRound.objects.update_or_create(
        defaults={"place": 0, "after": None, "began_at": Now(), "ended_at": None}
    )
    due.schedule(ROUND, current_tenant_id())


@transaction.atomic
def step() -> bool:
    """One page of the round, in a transaction of its own; False when the round is over."""
    row = RetentionRound.objects.select_for_update().first()
    row = row or RetentionRound.objects.create(began_at=Now())
    if row.ended_at is not None:
        if row.ended_at > timezone.now() - PAUSE / 2:
            return False  # the doorbell rang twice
        row.place, row.after, row.began_at, row.ended_at = 0, None, Now(), None
    tables = retained()
    if row.place < len(tables):
        _mark(row, tables[row.place])
        return True
    if row.place == len(tables):
        weigh()
        row.place += 1
        row.save(update_fields=["place", "began_at", "ended_at"])
        return True
    if any(take() for take in _takers()):
        return True
    row.ended_at = Now()
    row.save(update_fields=["ended_at"])
    over = RetentionRun.objects.filter(finished_at=None, held_back_at=None)
    over.update(finished_at=Now())
    return False


def go_on(scope: Callable[[], AbstractContextManager[object]], *, seconds: float) -> bool:
    """Steps of the round for so many seconds, each in a scope of its own; False when it is over."""
    until = time.monotonic() + seconds
    while True:
        began = time.monotonic()
        with scope():
            more = step()
        if not more or time.monotonic() >= until:
            return more
        time.sleep((time.monotonic() - began) * _COURTESY)


def rest(work: Work) -> None:
    """Due again: at once while the round goes on, or when it was begun anew meanwhile."""
    row = RetentionRound.objects.select_for_update().first()
    if row is not None and row.ended_at is not None:
        work.again(PAUSE.total_seconds())
    else:
        due.schedule(ROUND, work.ref_id)


def _mark(row: RetentionRound, table: Retained) -> None:
    rules = law()
    page = mark_page(rules, table, after=row.after) if _has_ends(rules, table) else None
    row.after = page.last if page else None
    if row.after is None:
        row.place += 1
    row.save(update_fields=["place", "after", "began_at", "ended_at"])


def _has_ends(rules: Law, table: Retained) -> bool:
    """Whether there is anything to write: most tenants keep most things."""
    if not table.marked:
        return False
    if rules.of(table.kind):
        return True
    ends = f"SELECT FROM {table.table} WHERE tenant_id = %(tenant)s AND expires_at IS NOT NULL"
    return bool(_rows(f"SELECT EXISTS ({ends})", {})[0][0])


def _takers() -> list[Callable[[], bool]]:
    rows = [table for table in retained() if not (table.is_talk or table.is_person)]
    each = [partial(_take_rows if table.marked else take_logs, table) for table in rows]
    return [_take_talks, *each, take_people]


def _take_talks() -> bool:
    """The next talks that have ended, whole or so much as one batch takes."""
    ended = without_waiting(Conversation.stored.filter(expires_at__lte=Now()))
    if in_force().exists():
        ended = ended.exclude(IS_HELD)
    ids = _locked(ended.order_by("expires_at", "pk"))
    if not ids:
        return False
    for policy_id, theirs in _still_ended(ids).items():
        purged = purge_conversations(theirs, budget=_ROWS)
        if not purged.finished:
            # Half gone is never seen again, whatever becomes of the policy.
            Conversation.stored.filter(pk__in=theirs).update(expires_at=BEGUN)
        for pk in theirs:
            live.ring(pk, "erased")
        report(policy_id, purged.counts)
    return True


def _still_ended(ids: list[UUID]) -> dict[UUID | None, list[UUID]]:
    """By policy. Reckoned anew under the lock: the mark may be older than the last change."""
    reckon_ends(ids)
    found: dict[UUID | None, list[UUID]] = defaultdict(list)
    ended = without_waiting(Conversation.stored.filter(pk__in=ids, expires_at__lte=Now()))
    for pk, policy_id in ended.values_list("pk", "expires_by"):
        found[policy_id].append(pk)
    return found


def _take_rows(table: Retained) -> bool:
    """The next rows that have ended in talks that go on."""
    talks = _rows(
        f"SELECT DISTINCT id FROM (SELECT c.id FROM {table.table} r"  # noqa: S608 - names of our own tables
        f" JOIN conversations_conversation c ON c.tenant_id = r.tenant_id AND {table.join}"
        f" WHERE r.tenant_id = %(tenant)s AND r.expires_at <= now() AND {_GOES}"
        " AND NOT under_legal_hold(c.tenant_id, c.id) LIMIT %(limit)s) ended",
        {"limit": _ROWS, **_waiting()},
    )
    ids = _locked(Conversation.stored.filter(pk__in=[row[0] for row in talks]).order_by("pk"))
    if not ids:
        return False
    kept = held(ids)
    free = [pk for pk in ids if pk not in kept]
    reckon(free)
    taken = take_files(free) if table.kind == Kind.FILES else _delete(table, free)
    for policy_id, count in taken.items():
        report(policy_id, {table.store: count})
    return True


def _delete(table: Retained, talks: list[UUID]) -> dict[UUID | None, int]:
    where = f"r.tenant_id = %(tenant)s AND {table.of_talks} AND r.expires_at <= now() AND {_GOES}"
    change = f"SET expires_at = NULL, {table.change}"
    verb = f"UPDATE {table.table} r {change}" if table.change else f"DELETE FROM {table.table} r"  # noqa: S608 - as above
    gone = _rows(
        f"WITH gone AS ({verb} WHERE {where} RETURNING r.expires_by)"  # noqa: S608 - as above
        " SELECT expires_by, count(*) FROM gone GROUP BY expires_by",
        {"talks": talks, **_waiting()},
    )
    return dict(gone)


# The rows of a run that waits stay; the platform's maximum has no id.
_GOES = "NOT (COALESCE(r.expires_by, %(nobody)s) = ANY(%(waiting)s))"
_NOBODY = UUID(int=0)


def _waiting() -> dict[str, Any]:
    return {"nobody": _NOBODY, "waiting": [policy or _NOBODY for policy in waiting()]}


def _locked(rows: Any) -> list[UUID]:
    """As every purge and every hold locks them. Who is written to just now comes next time."""
    locked = rows.select_for_update(skip_locked=True, of=("self",))
    return list(locked.values_list("pk", flat=True)[:_TALKS])


def _rows(sql: str, values: dict[str, Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, {"tenant": current_tenant_id(), **values})
        return list(cursor.fetchall())
