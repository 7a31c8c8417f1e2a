"""Retention for the page and the API: policies, previews, reports."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Case, QuerySet, Value, When
from django.utils import timezone

from conversations.models import Conversation, RetentionPolicy, RetentionRun
from conversations.retained import TALKS, Retained, retained
from conversations.selectors.customers import behind
from conversations.selectors.retention_law import END, MATCHES, PLATFORM, RULES, Rule, law
from tenants.models import Member
from tenants.permissions import Permission, may

SAMPLES = 5


@dataclass(frozen=True, slots=True)
class Preview:
    """What a rule would take now. `rows` counts all tables; what is under hold is not among it."""

    counts: dict[str, int] = field(default_factory=dict)
    rows: int = 0
    held: int = 0
    # The talks that were idle longest; empty for those who may not read conversations.
    samples: Sequence[Conversation] = ()


_SIZE = """
SELECT count(*) FILTER (WHERE NOT held), count(*) FILTER (WHERE held),
  COALESCE(sum(lines) FILTER (WHERE NOT held), 0)
FROM ({due}) due
"""
_DUE = """
SELECT r.id, {lines} AS lines, {since} AS since,
  %(holds)s AND under_legal_hold(c.tenant_id, c.id) AS held
FROM {table} r JOIN conversations_conversation c ON c.tenant_id = r.tenant_id AND {join},
  {rules}
WHERE r.tenant_id = %(tenant)s AND {matches} AND {end} <= %(now)s
"""
_OLDEST = "SELECT id FROM ({due}) due WHERE NOT held ORDER BY since, id LIMIT %(limit)s"


def preview(rule: Rule, kind: str, *, member: Member, now: datetime | None = None) -> Preview:
    """Counts of what `rule` would end by now, and a few of the talks; nothing is changed."""
    values = {**law().parameters([rule]), "now": now or timezone.now(), "limit": SAMPLES}
    counts, held, rows = {}, 0, 0
    for table in retained(kind):
        found, kept, lines = _row(_SIZE.format(due=_due(table)), values)
        counts[table.store] = found
        held += kept
        rows += found + lines
        if table.is_talk:
            counts["lines of conversations"] = lines
    samples = _samples(values) if kind == TALKS.kind and may(member, Permission.READ) else []
    return Preview(counts, rows, held, samples)


def _samples(values: dict[str, Any]) -> list[Conversation]:
    with connection.cursor() as cursor:
        cursor.execute(_OLDEST.format(due=_due(TALKS)), values)
        ids = [row[0] for row in cursor.fetchall()]
    rows = {
        talk.id: talk for talk in Conversation.stored.select_related("customer").filter(pk__in=ids)
    }
    return [rows[pk] for pk in ids]


def _due(table: Retained) -> str:
    return _DUE.format(
        table=table.table,
        join=table.join,
        since=table.since,
        lines="c.last_seq" if table.is_talk else "0",
        rules=RULES,
        matches=MATCHES,
        end=END.format(since=table.since),
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
    """The newest reports first."""
    return list(RetentionRun.objects.order_by("-created_at", "-id")[:limit])


def policy_name(policy_id: UUID | None) -> tuple[str, int]:
    """Name and days of a policy, for its report."""
    row = RetentionPolicy.objects.filter(pk=policy_id).first() if policy_id else None
    return (row.name, row.days) if row else (PLATFORM, 0)


def waiting() -> list[RetentionPolicy]:
    """Policies that are not yet in force, the first to start first."""
    rows = RetentionPolicy.objects.filter(state=RetentionPolicy.State.WAITING)
    return list(rows.order_by("starts_at"))
