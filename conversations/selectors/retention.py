"""Retention for the page and the API: policies, previews, reports."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Case, F, QuerySet, Value, When
from django.utils import timezone

from conversations.models import Conversation, Customer, RetentionPolicy, RetentionRun
from conversations.retained import PEOPLE, TALKS, Retained, retained
from conversations.selectors.customers import behind
from conversations.selectors.retention_law import PLATFORM, RULES, Rule, end_of, law, matches
from conversations.selectors.retention_size import is_large_part
from tenants.models import Member
from tenants.permissions import Permission, may

SAMPLES = 5


@dataclass(frozen=True, slots=True)
class Preview:
    """What a rule would take now. `rows` counts all tables; what is under hold is not among it."""

    counts: dict[str, int] = field(default_factory=dict)
    rows: int = 0
    held: int = 0
    # Whole pieces of the kind, and whether that is a large part of the tenant.
    pieces: int = 0
    large: bool = False
    # The talks that were idle longest; empty for those who may not read conversations.
    samples: Sequence[Conversation] = ()
    # The same for a policy that ends customers.
    people: Sequence[Customer] = ()


_SIZE = """
SELECT count(*) FILTER (WHERE NOT held), count(*) FILTER (WHERE held),
  COALESCE(sum(lines) FILTER (WHERE NOT held), 0)
FROM ({due}) due
"""
_DUE = """
SELECT r.id, {lines} AS lines, {since} AS since,
  %(holds)s AND {held} AS held
FROM {source}, {rules}
WHERE r.tenant_id = %(tenant)s AND {matches} AND {end} <= %(now)s
"""
_OLDEST = "SELECT id FROM ({due}) due WHERE NOT held ORDER BY since, id LIMIT %(limit)s"


def preview(rule: Rule, kind: str, *, member: Member, now: datetime | None = None) -> Preview:
    """Counts of what `rule` would end by now, and a few of the talks; nothing is changed."""
    found = measure(rule, kind, now=now)
    return _with_samples(found, kind, _values(rule, now)) if may(member, Permission.READ) else found


def measure(rule: Rule, kind: str, *, now: datetime | None = None) -> Preview:
    """The same without anybody who may look into it: counts alone."""
    values = _values(rule, now)
    counts, held, rows, pieces = {}, 0, 0, 0
    for table in retained(kind):
        found, kept, lines = _row(_SIZE.format(due=_due(table)), values)
        counts[table.store] = found
        pieces += found
        held += kept
        rows += found + lines
        if table.lines_name:
            counts[table.lines_name] = lines
    return Preview(counts, rows, held, pieces, large=is_large_part(kind, counts))


def _values(rule: Rule, now: datetime | None) -> dict[str, Any]:
    return {**law().parameters([rule]), "now": now or timezone.now(), "limit": SAMPLES}


def _with_samples(found: Preview, kind: str, values: dict[str, Any]) -> Preview:
    if kind == TALKS.kind:
        talks = Conversation.stored.select_related("customer").in_bulk(_oldest(TALKS, values))
        return replace(found, samples=sorted(talks.values(), key=_idle_since))
    if kind == PEOPLE.kind:
        people = Customer.stored.in_bulk(_oldest(PEOPLE, values))
        return replace(found, people=sorted(people.values(), key=_idle_since))
    return found


def _oldest(table: Retained, values: dict[str, Any]) -> list[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(_OLDEST.format(due=_due(table)), values)
        return [row[0] for row in cursor.fetchall()]


def _idle_since(row: Conversation | Customer) -> tuple[datetime, UUID]:
    if isinstance(row, Customer):
        return max(row.created_at, row.last_seen_at or row.created_at), row.id
    used = row.last_message_at or row.created_at
    return max(used, row.resolved_at or used), row.id


def _due(table: Retained) -> str:
    return _DUE.format(
        source=table.source,
        since=table.since,
        lines=table.lines,
        held=table.held,
        rules=RULES,
        matches=matches(table),
        end=end_of(table),
    )


def _row(sql: str, values: dict[str, Any]) -> tuple[int, int, int]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        found, kept, lines = cursor.fetchone()
    return int(found), int(kept), int(lines)


_FIRST = Case(
    When(state=RetentionPolicy.State.WAITING, then=Value(0)),
    When(state=RetentionPolicy.State.ACTIVE, then=Value(1)),
    default=Value(2),
)
After = tuple[datetime, UUID]


def policies(*, limit: int = 200) -> list[RetentionPolicy]:
    """What waits first, then what is in force, then what has ended; the newest first in each."""
    return list(_policies().order_by(_FIRST, "-created_at", "-id")[:limit])


def policies_by_age(*, after: After | None, limit: int) -> list[RetentionPolicy]:
    """The newest first, by keyset."""
    rows = _policies().order_by("-created_at", "-id")
    return list((rows.filter(behind("created_at", after)) if after else rows)[:limit])


def _policies() -> QuerySet[RetentionPolicy]:
    return RetentionPolicy.objects.select_related("label", "made_by__user", "approved_by__user")


def runs(*, limit: int = 50) -> list[RetentionRun]:
    """What waits for somebody first, then the newest reports."""
    order = (F("held_back_at").asc(nulls_last=True), "-created_at", "-id")
    return list(_runs().order_by(*order)[:limit])


def runs_by_age(*, after: After | None, limit: int) -> list[RetentionRun]:
    """The newest first, by keyset."""
    rows = _runs().order_by("-created_at", "-id")
    return list((rows.filter(behind("created_at", after)) if after else rows)[:limit])


def held_back() -> list[RetentionRun]:
    """Runs that wait for somebody, the oldest first."""
    return list(_runs().filter(held_back_at__isnull=False).order_by("held_back_at", "id"))


def policy_behind(run: RetentionRun) -> RetentionPolicy | None:
    """The policy that a run carries out; None for the platform's maximum."""
    return RetentionPolicy.objects.filter(pk=run.policy_id).first() if run.policy_id else None


def _runs() -> QuerySet[RetentionRun]:
    return RetentionRun.objects.select_related("confirmed_by__user")


def policy_name(policy_id: UUID | None) -> tuple[str, int]:
    """Name and days of a policy, for its report."""
    row = RetentionPolicy.objects.filter(pk=policy_id).first() if policy_id else None
    return (row.name, row.days) if row else (PLATFORM, 0)


def customers_outlive_talks() -> bool:
    """Whether conversations end by a policy and those who had them never do."""
    rows = RetentionPolicy.objects.exclude(state=RetentionPolicy.State.ENDED)
    kinds = set(rows.values_list("kind", flat=True))
    return TALKS.kind in kinds and not {PEOPLE.kind} & (
        kinds | set(settings.RETENTION_MAXIMUM_DAYS)
    )


def waiting() -> list[RetentionPolicy]:
    """Policies that are not yet in force, the first to start first."""
    rows = RetentionPolicy.objects.filter(state=RetentionPolicy.State.WAITING)
    return list(rows.order_by("starts_at"))
