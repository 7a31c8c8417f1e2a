"""Whether a run or a policy takes so much of a tenant that one person alone is not enough."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import connection

from conversations.models import RetentionRun
from conversations.retained import Retained, retained
from conversations.selectors.retention_law import RULES, end_of, law
from tenants.scoping import current_tenant_id

# More than one in so many is a large part, where it is more than a few at all.
SHARE = 100
FEW = 100

_TOTAL = (
    "SELECT count(*) FROM (SELECT FROM {} WHERE tenant_id = %(tenant)s LIMIT %(limit)s) AS part"
)
_ENDED = """SELECT expires_by, count(*) FROM {}
WHERE tenant_id = %(tenant)s AND expires_at <= now() GROUP BY expires_by"""


def is_large(table: Retained, found: int) -> bool:
    """Whether so many rows of the table are more than one percent of them.

    Looks at no more rows than a hundred times as many.
    """
    if found <= FEW:
        return False
    enough = found * SHARE
    total = _rows(_TOTAL.format(table.table), limit=enough)[0][0]
    return bool(total < enough)


def is_large_part(kind: str, counts: dict[str, int]) -> bool:
    """The same for a preview's counts by store."""
    return any(is_large(table, counts.get(table.store, 0)) for table in retained(kind))


def ended() -> tuple[Counter[UUID | None], set[UUID | None]]:
    """How many pieces have ended by each policy, and those policies that take a large part."""
    counts: Counter[UUID | None] = Counter()
    large: set[UUID | None] = set()
    for table in retained():
        for policy, found in _ended_of(table):
            counts[policy] += found
            if is_large(table, found):
                large.add(policy)
    return counts, large


def _ended_of(table: Retained) -> list[tuple[UUID | None, int]]:
    if table.marked:
        return _rows(_ENDED.format(table.table))
    found = law()
    rules = found.of(table.kind)
    return _rows(f"{ended_logs(table)} GROUP BY p.id", **found.parameters(rules)) if rules else []


def ended_logs(table: Retained, what: str = "p.id, count(*)") -> str:
    """SQL: logs that have ended by the rules, and are under no hold."""
    return f"""SELECT {what} FROM {table.source}, LATERAL (
  SELECT {end_of(table)} AS at, p.id FROM {RULES} ORDER BY 1, 2 LIMIT 1
) p WHERE r.tenant_id = %(tenant)s AND p.at <= now() AND {table.ready} AND NOT {table.held}"""  # noqa: S608 - names of our own tables


def allowed(policies: Iterable[UUID | None]) -> dict[UUID | None, int]:
    """What somebody has allowed these policies to take at a time in an earlier run or in this."""
    wanted, found = set(policies), defaultdict[UUID | None, int](int)
    for policy, many in RetentionRun.objects.filter(allowed__gt=0).values_list(
        "policy_id", "allowed"
    ):
        if policy in wanted:
            found[policy] = max(found[policy], many)
    return found


def _rows(sql: str, **values: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, {"tenant": current_tenant_id(), **values})
        return list(cursor.fetchall())
