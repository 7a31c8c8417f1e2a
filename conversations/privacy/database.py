"""The scanner's eyes in PostgreSQL: every table of every schema, statistics, large objects.

It reads as `desk_backup`, in one transaction that can write nothing: row security hides rows, and
`pg_stats` whole tables, from every weaker role.
"""

from collections.abc import Sequence
from typing import Any

import psycopg
from django.conf import settings
from psycopg import sql

from conversations.privacy.needles import SHORTEST, Needles, needles
from conversations.privacy.report import StoreScan
from conversations.privacy.tables import Theirs, tables_of


class NoBackupRole(RuntimeError):
    """Without it nothing can be proven, so nothing is certified."""


def connect() -> psycopg.Connection[Any]:
    """As `desk_backup`, in the test's or the demo's or the operator's database."""
    if not settings.BACKUP_DATABASE_URL:
        raise NoBackupRole("Set BACKUP_DATABASE_URL to the role desk_backup: the scanner needs it.")
    return psycopg.connect(settings.BACKUP_DATABASE_URL)


_SAMPLE_LENGTH = 200


def tables(backup: psycopg.Connection[Any], everywhere: Needles, theirs: Theirs) -> StoreScan:
    """Every row as text; what is kept as bytes is read in `contents`.

    The control is asked of each table: nothing hides its rows from this role, and a row that it is
    known to hold is found by the very search.
    """
    found = StoreScan("tables", control=True)
    for table in tables_of(backup):
        found.read += 1
        found.control &= not table.hidden and _finds_its_own(backup, table.rows)
        condition = _scoped(everywhere, theirs) if table.scoped else _any(theirs.outside)
        found.hit(table.name, _count(backup, table.rows, condition))
    found.control &= found.read > 0
    return found


def _scoped(everywhere: Needles, theirs: Theirs) -> sql.Composable:
    if theirs.tenant is None or not theirs.inside:
        return _any(everywhere)
    return sql.SQL("{} OR (tenant_id = {} AND {})").format(
        _any(everywhere), theirs.tenant, _any(theirs.inside)
    )


def _finds_its_own(backup: psycopg.Connection[Any], place: sql.Composable) -> bool:
    sample = backup.execute(
        sql.SQL("SELECT left(t::text, {}) FROM {} t LIMIT 1").format(_SAMPLE_LENGTH, place)
    ).fetchone()
    if sample is None or not sample[0]:
        return True
    return _count(backup, place, _any(Needles((sample[0].lower(),), ()))) > 0


def statistics(backup: psycopg.Connection[Any], wanted: Needles) -> StoreScan:
    """What the planner remembers of columns; one of its own values must be found."""
    found = StoreScan("pg_stats")
    rows = sql.SQL(
        "(SELECT tablename, concat_ws(' ', most_common_vals, histogram_bounds, most_common_elems)"
        " AS remembered FROM pg_stats)"
    )
    found.read = _count(backup, rows, sql.SQL("true"))
    known = backup.execute(
        sql.SQL(
            # Long enough to be looked for: a column may be remembered as "{0}".
            "SELECT left(remembered, 40) FROM {} s WHERE length(remembered) >= {}"
            " ORDER BY tablename LIMIT 1"
        ).format(rows, SHORTEST)
    ).fetchone()
    seen = known and _count(backup, rows, _any(needles([known[0]]), "remembered"))
    found.control = bool(seen) and not _hidden_statistics(backup)
    grouped = sql.SQL("SELECT tablename, count(*) FROM {} t WHERE {} GROUP BY 1").format(
        rows, _any(wanted, "remembered")
    )
    for table, count in backup.execute(grouped).fetchall():
        found.hit(table, count)
    return found


def _hidden_statistics(backup: psycopg.Connection[Any]) -> bool:
    """Whether `pg_stats` leaves columns out that have statistics."""
    row = backup.execute(
        "SELECT (SELECT count(*) FROM pg_statistic) > (SELECT count(*) FROM pg_stats)"
    ).fetchone()
    return row is None or bool(row[0])


def large_objects(
    backup: psycopg.Connection[Any], wanted: Needles, control: Sequence[str]
) -> StoreScan:
    """Pages of large objects; `control` is a word that the caller has put into one."""
    found = StoreScan("large objects")
    pages = sql.SQL("(SELECT loid, encode(data, 'escape') AS page FROM pg_largeobject)")
    found.read = _count(backup, pages, sql.SQL("true"))
    found.control = _count(backup, pages, _any(needles(control), "page")) > 0
    found.hit("pg_largeobject", _count(backup, pages, _any(wanted, "page")))
    return found


def _count(backup: psycopg.Connection[Any], rows: sql.Composable, condition: sql.Composable) -> int:
    counted = backup.execute(
        sql.SQL("SELECT count(*) FROM {} t WHERE {}").format(rows, condition)
    ).fetchone()
    return int(counted[0]) if counted else 0


def _any(wanted: Needles, column: str = "") -> sql.Composable:
    """One of the words stands in the row as text, which is made once a row and not once a word."""
    text = sql.Identifier(column) if column else sql.SQL("t::text")
    return sql.SQL(
        "EXISTS (SELECT FROM (SELECT {text} AS exact, lower({text}) AS small OFFSET 0) row"
        " WHERE {any})"
    ).format(text=text, any=_alternatives(wanted))


def _alternatives(wanted: Needles) -> sql.Composable:
    small = [sql.SQL("strpos(small, {}) > 0").format(word) for word in wanted.folded]
    exact = [sql.SQL("strpos(exact, {}) > 0").format(word) for word in wanted.exact]
    return sql.SQL(" OR ").join([sql.SQL("false"), *small, *exact])
