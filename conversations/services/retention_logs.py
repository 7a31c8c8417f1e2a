"""The part of a round that takes logs: rows without an end of their own, by their age."""

from typing import Any

from django.db import connection

from conversations.retained import Retained
from conversations.selectors.retention_law import law
from conversations.selectors.retention_size import ended_logs
from conversations.services.retention_reports import report
from conversations.services.retention_weighing import waiting

_ROWS = 1000


def take_logs(table: Retained) -> bool:
    """The next ones of one table; False when none is left to go.

    Locks what they belong to first, as whoever places a hold does, and asks for holds afterwards.
    """
    found = law()
    policies = waiting()
    rules = [rule for rule in found.of(table.kind) if rule.id not in policies]
    if not rules:
        return False
    values = {**found.parameters(rules), "limit": _ROWS}
    locks = "r, s" if table.beside else "r"
    page = f"{ended_logs(table, 'r.id')} LIMIT %(limit)s FOR UPDATE OF {locks} SKIP LOCKED"
    ids = [row[0] for row in _rows(page, values)]
    if not ids:
        return False
    for policy_id, count in _rows(_taking(table), {**values, "taken": ids}):
        report(policy_id, {table.store: count})
    return True


def _taking(table: Retained) -> str:
    takes = f"DELETE FROM {table.table} t USING"  # noqa: S608 - the name of our own table
    if table.change:
        takes = f"UPDATE {table.table} t SET {table.change} FROM"  # noqa: S608 - as above
    chosen = f"{ended_logs(table, 'r.id, p.id AS by')} AND r.id = ANY(%(taken)s)"
    return f"""WITH gone AS ({takes} ({chosen}) chosen WHERE t.id = chosen.id
  AND t.tenant_id = %(tenant)s RETURNING chosen.by)
SELECT by, count(*) FROM gone GROUP BY by"""  # noqa: S608 - as above


def _rows(sql: str, values: dict[str, Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())
