"""When rows end: reckoned ahead and written on the row, so that reading asks one column only."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connection

from conversations.retained import PEOPLE, TALKS, Retained, retained
from conversations.selectors.retention_law import (
    RULES,
    Law,
    end_of,
    is_lawless,
    law,
    matches,
)

PAGE = 1000
# The end of a talk whose purge has begun: what is half gone is not reckoned anew.
BEGUN = datetime(1970, 1, 1, tzinfo=UTC)

_MARK = """
WITH page AS (
  SELECT r.id, {version} AS version, p.at, p.id AS by
  FROM {source}
  LEFT JOIN LATERAL (
    SELECT {end} AS at, p.id FROM {rules} WHERE {matches} AND (NOT %(holds)s OR NOT {held})
    ORDER BY 1, 2 LIMIT 1
  ) p ON true
  WHERE r.tenant_id = %(tenant)s AND {place}
  ORDER BY r.id LIMIT %(limit)s
), changed AS (
  UPDATE {table} r SET expires_at = page.at, expires_by = page.by
  FROM page WHERE r.id = page.id AND r.tenant_id = %(tenant)s
    AND (r.expires_at IS DISTINCT FROM page.at OR r.expires_by IS DISTINCT FROM page.by) {guard}
  RETURNING 1
)
SELECT (SELECT id FROM page ORDER BY id DESC LIMIT 1), (SELECT count(*) FROM page),
  (SELECT count(*) FROM changed)
"""


_UNUSED = "AND r.{} IS NOT DISTINCT FROM page.version AND r.expires_at IS DISTINCT FROM %(begun)s"


@dataclass(frozen=True, slots=True)
class Page:
    """How far one page of marking came."""

    last: UUID | None
    seen: int
    changed: int


def mark_page(law: Law, table: Retained, *, after: UUID | None, limit: int = PAGE) -> Page:
    """Write the end on the next rows of the table, in the order of their ids."""
    place = "(%(after)s::uuid IS NULL OR r.id > %(after)s::uuid)"
    return _mark(law, table, place, {"after": after, "limit": limit})


def reckon(talk_ids: Sequence[UUID]) -> None:
    """Anew for these talks and all that hangs on them, in the caller's transaction."""
    found = law()
    for table in (table for table in retained() if table.marked):
        _mark(found, table, table.of_talks, {"talks": list(talk_ids), "limit": None})


def reckon_ends(talk_ids: Sequence[UUID]) -> None:
    """Anew for these talks alone: what hangs on them goes with them."""
    _mark(law(), TALKS, TALKS.of_talks, {"talks": list(talk_ids), "limit": None})


def reckon_people(customer_ids: Sequence[UUID]) -> None:
    """Anew for these customers, in the caller's transaction."""
    values = {"people": list(customer_ids), "limit": None}
    _mark(law(), PEOPLE, "r.id = ANY(%(people)s)", values)


def reckon_one(talk_id: UUID) -> None:
    """After a change of status or labels, which may have brought its end nearer or put it off."""
    if not is_lawless():
        reckon([talk_id])


def _mark(law: Law, table: Retained, place: str, values: dict[str, Any]) -> Page:
    sql = _MARK.format(
        table=table.table,
        source=table.source,
        version=f"r.{table.version}" if table.version else "NULL",
        end=end_of(table),
        rules=RULES,
        matches=matches(table),
        held=table.held,
        place=place,
        # What happened meanwhile counts: a talk or a person that has moved on since the page was
        # read is left for the next round. What hangs on a talk ends by its own age.
        guard=_UNUSED.format(table.version) if table.version else "",
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, {**law.parameters(law.of(table.kind)), "begun": BEGUN, **values})
        return Page(*cursor.fetchone())
