"""How many rows of a person there are, counted past row security and past the code that deletes.

It knows no table by name: whatever carries a conversation's, a turn's or a customer's id is
asked, and bytes by their file's. An eraser that forgot its tenant, or a table, deletes nothing
there and tells nobody.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql

_COLUMNS = """
SELECT c.relname, array_agg(a.attname::text),
  bool_or(a.attname = 'conversation_id' AND NOT a.attnotnull)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p')
  AND a.attname IN ('tenant_id', 'conversation_id', 'customer_id', 'turn_id', 'attachment_id')
GROUP BY 1 HAVING 'tenant_id' = ANY(array_agg(a.attname::text)) ORDER BY 1
"""
_TURNS = (
    "turn_id IN (SELECT id FROM agents_turn"
    " WHERE tenant_id = %(tenant)s AND conversation_id = ANY(%(talks)s))"
)
_CONDITIONS = {
    "conversation_id": "conversation_id = ANY(%(talks)s)",
    "turn_id": _TURNS,
    "customer_id": "customer_id = %(customer)s",
}
# What is not yet in any conversation is the person's.
_LOOSE = """(conversation_id = ANY(%(talks)s)
  OR conversation_id IS NULL AND customer_id = %(customer)s)"""
_FILES = f"""attachment_id IN (SELECT id FROM conversations_attachment
  WHERE tenant_id = %(tenant)s AND {_LOOSE})"""  # noqa: S608 - words of our own
# The roots carry the id as their own.
_ROOTS = {
    "conversations_conversation": "id = ANY(%(talks)s)",
    "conversations_customer": "id = %(customer)s",
}


def survey(
    backup: psycopg.Connection[Any], tenant: UUID, customer: UUID, talks: Sequence[UUID]
) -> dict[str, int]:
    """Rows by table, of this person and these conversations."""
    values = {"tenant": tenant, "customer": customer, "talks": list(talks)}
    found: dict[str, int] = {}
    for table, columns, loose in backup.execute(_COLUMNS).fetchall():
        condition = _ROOTS.get(table) or _condition(columns, loose=loose)
        if not condition:
            continue
        query = sql.SQL("SELECT count(*) FROM {} WHERE tenant_id = %(tenant)s AND ({})").format(
            sql.Identifier(table), sql.SQL(condition)
        )
        row = backup.execute(query, values).fetchone()
        if row and row[0]:
            found[table] = int(row[0])
    return found


def _condition(columns: Sequence[str], *, loose: bool) -> str:
    """By the conversation, or by its turn, or by the person: the first that the table has."""
    if "attachment_id" in columns:
        return _FILES
    if loose and "customer_id" in columns:
        return _LOOSE
    return next((_CONDITIONS[name] for name in _CONDITIONS if name in columns), "")


_OTHERS = """
SELECT word FROM unnest(%(words)s::text[]) word WHERE EXISTS (
  SELECT FROM conversations_customer c
  WHERE c.tenant_id <> %(tenant)s AND strpos(lower(c::text), lower(word)) > 0
) OR EXISTS (
  SELECT FROM conversations_customeridentity i
  WHERE i.tenant_id <> %(tenant)s AND strpos(lower(i::text), lower(word)) > 0)
"""


def words_of_others(
    backup: psycopg.Connection[Any], tenant: UUID, words: Sequence[str]
) -> list[str]:
    """Those of the words that a customer of another tenant has too: an address, a name."""
    found = backup.execute(_OTHERS, {"tenant": tenant, "words": list(words)}).fetchall()
    return [word for (word,) in found]
