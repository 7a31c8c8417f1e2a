"""Which tables there are for the scanner, and which words count in their rows."""

from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from psycopg import sql

from conversations.privacy.needles import Needles

# A table's own tenant column decides which words may be another tenant's good right.
_TABLES = """
SELECT c.oid::regclass::text, n.nspname, c.relname,
  coalesce(bool_or(a.attname = 'tenant_id'), false),
  row_security_active(c.oid) OR NOT has_table_privilege(c.oid, 'SELECT'),
  coalesce(array_agg(a.attname::text) FILTER (WHERE a.atttypid <> 'bytea'::regtype), '{}'),
  coalesce(array_agg(a.attname::text) FILTER (WHERE a.atttypid = 'bytea'::regtype), '{}')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
  AND n.nspname NOT LIKE 'pg\\_toast%%' AND n.nspname NOT LIKE 'pg\\_temp%%'
GROUP BY c.oid, n.nspname, c.relname ORDER BY 1
"""


@dataclass(frozen=True, slots=True)
class Theirs:
    """What counts in rows of `tenant`, beside what counts everywhere; and in rows of no tenant."""

    tenant: UUID | None
    inside: Needles
    outside: Needles


class Table(NamedTuple):
    """One table: `hidden` when row security or a missing right keeps rows from this role."""

    name: str
    schema: str
    relation: str
    scoped: bool
    hidden: bool
    words: list[str]
    bytes: list[str]

    @property
    def place(self) -> sql.Identifier:
        return sql.Identifier(self.schema, self.relation)

    @property
    def rows(self) -> sql.Composable:
        """The table without its bytes: as text they would be twice as long, and are read apart."""
        if not self.bytes:
            return self.place
        words = sql.SQL(", ").join(map(sql.Identifier, self.words))
        return sql.SQL("(SELECT {} FROM {})").format(words, self.place)


def tables_of(backup: psycopg.Connection[Any]) -> list[Table]:
    """Every table of every schema that rows can lie in."""
    return [Table(*row) for row in backup.execute(_TABLES).fetchall()]
