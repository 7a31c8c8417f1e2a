"""The scanner's eyes inside bytes: files, their small pictures, whatever else is kept as bytes.

They are read in pieces as they are, not as text, so that memory holds a piece of one row. A word is
found as UTF-8 and as UTF-16, in letters of either size. What is packed (an office document, a
compressed PDF, a picture of words) is not unpacked: that it has gone is shown by its row, which is
counted apart.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from psycopg import sql

from conversations.privacy.needles import Needles
from conversations.privacy.report import StoreScan
from conversations.privacy.tables import Table, Theirs, tables_of

_PIECE = 1024 * 1024
_ROWS_AT_ONCE = 8
_SAMPLE = 24
# A few bytes out of the middle come along: the row's reading must find them, or it is not read.
_ROWS = """SELECT ctid::text, {tenant}, octet_length({column}),
  substring({column} FROM 1 FOR {piece}),
  substring({column} FROM octet_length({column}) / 2 + 1 FOR {sample})
FROM {place} WHERE octet_length({column}) > 0"""
_MORE = "SELECT substring({column} FROM %s FOR {piece}) FROM {place} WHERE ctid = %s::tid"


class _Place(NamedTuple):
    """One column of bytes."""

    table: Table
    column: str

    def query(self, text: str) -> sql.Composed:
        return sql.SQL(text).format(
            column=sql.Identifier(self.column),
            place=self.table.place,
            tenant=sql.SQL("tenant_id" if self.table.scoped else "NULL::uuid"),
            piece=_PIECE,
            sample=_SAMPLE,
        )


def contents(backup: psycopg.Connection[Any], everywhere: Needles, theirs: Theirs) -> StoreScan:
    """Every column of bytes of every table; each row's own sample is the control."""
    found = StoreScan("contents", control=True)
    for table in tables_of(backup):
        found.control &= not table.hidden
        for column in table.bytes:
            _read(backup, _Place(table, column), found, (everywhere, theirs))
    return found


def _read(
    backup: psycopg.Connection[Any],
    place: _Place,
    found: StoreScan,
    wanted: tuple[Needles, Theirs],
) -> None:
    everywhere, theirs = wanted
    with backup.cursor(name="contents") as rows:
        rows.itersize = _ROWS_AT_ONCE
        rows.execute(place.query(_ROWS), binary=True)
        for where, tenant, length, first, sample in rows:
            sought = _raw(everywhere, theirs, place.table, tenant)
            control = bytes(sample).lower()
            hit, seen = _search(_pieces(backup, place, where, (first, length)), sought, control)
            found.read += 1
            found.control &= seen
            found.hit(place.table.name, int(hit))


def _raw(
    everywhere: Needles, theirs: Theirs, table: Table, tenant: UUID | None
) -> tuple[bytes, ...]:
    if not table.scoped:
        return theirs.outside.raw
    return everywhere.raw + (theirs.inside.raw if tenant and tenant == theirs.tenant else ())


def _pieces(
    backup: psycopg.Connection[Any], place: _Place, where: Any, head: tuple[bytes, int]
) -> Iterator[bytes]:
    first, length = head
    yield bytes(first)
    more = place.query(_MORE)
    for start in range(_PIECE, length, _PIECE):
        row = backup.execute(more, [start + 1, where], binary=True).fetchone()
        if row is None:
            return  # deleted while we looked: what is gone holds nothing
        yield bytes(row[0])


def _search(
    pieces: Iterator[bytes], sought: tuple[bytes, ...], control: bytes
) -> tuple[bool, bool]:
    """Whether any of the words, and whether the control is in there."""
    longest = max(map(len, (*sought, control)))
    before, hit, seen = b"", False, False
    for piece in pieces:
        data = before + piece.lower()
        hit = hit or any(one in data for one in sought)
        seen = seen or control in data
        before = data[-longest:]
    return hit, seen
