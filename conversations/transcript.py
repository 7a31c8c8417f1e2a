"""The hot path in hand SQL: one SELECT loads the window, one statement appends lines.

The ORM takes four times the database's time here. Both statements go by the unique index
(tenant, conversation, seq): ordered by id instead, the planner walks the primary key, and a long
talk takes 100 ms instead of 0.2.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from tenants.errors import Conflict
from tenants.prepared import prepared_cursor
from tenants.scoping import current_tenant_id, new_id, read_alone

PREVIEW_LENGTH = 160
_MARKUP = re.compile(r"\*\*|`|^(?:#{1,6}|>|[-*+]) +|\[([^\]\n]*)\]\([^)\n]*\)", re.MULTILINE)


class Row(NamedTuple):
    """A stored message as the agent's history needs it.

    Without its time and its id: reading forty of them takes as long as all the rest of the window.
    Within a talk `seq` is its name.
    """

    seq: int
    role: str
    author_name: str
    text: str
    parts: list[dict[str, Any]] | None
    turn_id: UUID | None
    saw_seq: int | None


@dataclass(frozen=True, slots=True)
class NewRow:
    """A message to append. `text` is what people read; rows for the model alone leave it empty."""

    role: str
    text: str = ""
    parts: list[dict[str, Any]] | None = None
    sources: list[dict[str, Any]] | None = None
    author_name: str = ""
    turn_id: UUID | None = None
    saw_seq: int | None = None
    customer_id: UUID | None = None
    member_id: UUID | None = None
    client_key: UUID | None = None


class Used(NamedTuple):
    """What the models took for these lines, added to the talk's totals by the same statement."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)


class Appended(NamedTuple):
    """What an append did, and what the talk's row says by now."""

    last_seq: int
    customer_seq: int
    ids: list[UUID]


_NOTHING = Used()

_WINDOW = """
SELECT seq, role, author_name, text, parts, turn_id, saw_seq
FROM conversations_message
WHERE tenant_id = %s AND conversation_id = %s AND superseded_at IS NULL
ORDER BY seq DESC
LIMIT %s
"""


def load_window(tenant_id: UUID, conversation_id: UUID, *, limit: int) -> list[Row]:
    """The newest `limit` messages in `seq` order; one statement, flat at any length of the talk.

    The only one that needs no scope: it is the first that a turn reads, and most read no more.
    """
    found = read_alone(tenant_id, _WINDOW, [tenant_id, conversation_id, limit])
    rows = [_row(values) for values in found]
    rows.reverse()
    return rows


_TURN = """
SELECT seq, role, author_name, text, parts, turn_id, saw_seq
FROM conversations_message
WHERE tenant_id = %s AND conversation_id = %s AND seq < %s AND turn_id = %s
ORDER BY seq
"""


def load_turn(conversation_id: UUID, turn_id: UUID, *, before_seq: int) -> list[Row]:
    """What one turn has left in the part of the talk before a line."""
    with prepared_cursor() as cursor:
        cursor.execute(_TURN, [current_tenant_id(), conversation_id, before_seq, turn_id])
        return [_row(values) for values in cursor.fetchall()]


_AFTER = """
SELECT seq, role, author_name, text, parts, turn_id, saw_seq
FROM conversations_message
WHERE tenant_id = %s AND conversation_id = %s AND seq > %s AND superseded_at IS NULL
ORDER BY seq
LIMIT %s
"""


def load_after(conversation_id: UUID, seq: int, *, limit: int) -> list[Row]:
    """The oldest `limit` messages after a line."""
    with prepared_cursor() as cursor:
        cursor.execute(_AFTER, [current_tenant_id(), conversation_id, seq, limit])
        return [_row(values) for values in cursor.fetchall()]


def _row(values: Sequence[Any]) -> Row:
    """The driver hands jsonb over as text: Django registers its own loader on the connection."""
    row, parts = Row._make(values), values[Row._fields.index("parts")]
    return row._replace(parts=json.loads(parts)) if isinstance(parts, str) else row


# The UPDATE is the lock and hands out `seq`; no row there means no such talk for this tenant, one
# that has expired, or one that the team handles by now, and then nothing is inserted. What is said
# gives the talk a new life: its end is reckoned anew, later and elsewhere.
_APPEND = """
WITH talk AS (
  UPDATE conversations_conversation SET
    last_seq = last_seq + %(count)s,
    message_count = message_count + %(said)s,
    last_message_at = CASE WHEN %(said)s > 0 THEN statement_timestamp() ELSE last_message_at END,
    last_message_by = CASE WHEN %(said)s > 0 THEN %(by)s ELSE last_message_by END,
    last_message_preview =
      CASE WHEN %(said)s > 0 THEN %(preview)s ELSE last_message_preview END,
    expires_at = NULL, expires_by = NULL,
    {fields}
  WHERE tenant_id = %(tenant)s AND id = %(conversation)s
    AND (expires_at IS NULL OR expires_at > statement_timestamp()) {guard}
  RETURNING id, last_seq, customer_seq
), lines AS (
  INSERT INTO conversations_message
    (id, tenant_id, conversation_id, seq, role, customer_id, member_id, author_name, text, parts,
     sources, turn_id, saw_seq, client_key)
  SELECT v.id, %(tenant)s, talk.id, talk.last_seq - %(count)s + v.position, v.role, v.customer_id,
     v.member_id, v.author_name, v.text, v.parts, v.sources, v.turn_id, v.saw_seq, v.client_key
  FROM talk, ROWS FROM (json_to_recordset(%(lines)s::json) AS (
    id uuid, role text, customer_id uuid, member_id uuid, author_name text, text text,
    parts jsonb, sources jsonb, turn_id uuid, saw_seq bigint, client_key uuid
  )) WITH ORDINALITY AS v(id, role, customer_id, member_id, author_name, text, parts, sources,
    turn_id, saw_seq, client_key, position)
  ON CONFLICT DO NOTHING
  RETURNING 1
)
SELECT talk.last_seq, talk.customer_seq, (SELECT count(*) FROM lines) FROM talk
"""

_CUSTOMER = _APPEND.format(
    fields="""customer_seq = last_seq + %(count)s,
    waiting_since = COALESCE(waiting_since, statement_timestamp()),
    unread_count = unread_count + %(said)s""",
    guard="",
)
_MEMBER = _APPEND.format(
    fields="""answered_seq = last_seq + %(count)s, waiting_since = NULL, unread_count = 0""",
    guard="",
)
# What came while the agent was thinking is not answered by what it says now.
_AGENT = _APPEND.format(
    fields="""answered_seq = GREATEST(answered_seq, %(saw)s),
    input_tokens = input_tokens + %(input)s, output_tokens = output_tokens + %(output)s,
    cost = cost + %(cost)s,
    waiting_since = CASE WHEN customer_seq <= %(saw)s THEN NULL ELSE waiting_since END""",
    guard="AND handler = 'agent'",
)
# For the model alone: nobody has said or answered anything.
_DECISION = _APPEND.format(fields="answered_seq = answered_seq", guard="")
_STATEMENTS = {
    "customer": _CUSTOMER,
    "member": _MEMBER,
    "agent": _AGENT,
    "decision": _DECISION,
}


def append(
    conversation_id: UUID, rows: Sequence[NewRow], *, by: str, used: Used = _NOTHING
) -> Appended | None:
    """Append the lines of one author and keep the talk's list fields, in one statement.

    `used` counts for the agent only.
    Returns None when the talk is not this tenant's, is gone, or (for the agent) is handled by the
    team by now: then nothing is written. Raises `Conflict` when a `client_key` is taken, and the
    caller's transaction undoes the numbers handed out.
    """
    ids = [new_id() for _ in rows]
    with prepared_cursor() as cursor:
        values = _parameters(conversation_id, rows, by, ids)
        if by == "agent":
            values |= {"input": used.input_tokens, "output": used.output_tokens, "cost": used.cost}
        cursor.execute(_STATEMENTS[by], values)
        found = cursor.fetchone()
    if found is None:
        return None
    last_seq, customer_seq, stored = found
    if stored != len(rows):
        raise Conflict("This client_key was used before. Load the conversation and try again.")
    return Appended(last_seq, customer_seq, ids)


def _parameters(
    conversation_id: UUID, rows: Sequence[NewRow], by: str, ids: list[UUID]
) -> dict[str, Any]:
    said = [row.text for row in rows if row.text and row.role != "tool"]
    return {
        "tenant": current_tenant_id(),
        "conversation": conversation_id,
        "count": len(rows),
        "said": len(said),
        "by": by,
        "preview": preview(said[-1]) if said else "",
        "saw": max((row.saw_seq or 0 for row in rows), default=0),
        "lines": json.dumps(_lines(rows, ids), ensure_ascii=False, default=str),
    }


def _lines(rows: Sequence[NewRow], ids: list[UUID]) -> list[dict[str, Any]]:
    """The rows as one value: the driver takes longer over eleven arrays than the server over all.

    Fields that are empty stay out; the server reads them as NULL.
    """
    return [
        {"id": one_id, "author_name": row.author_name, "text": row.text}
        | {name: value for name in _MAYBE if (value := getattr(row, name)) is not None}
        for row, one_id in zip(rows, ids, strict=True)
    ]


_MAYBE = tuple(field.name for field in fields(NewRow) if field.name not in {"author_name", "text"})


def as_json(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)


def preview(text: str) -> str:
    """The words on one line without their markup, short enough for a list."""
    line = " ".join(_MARKUP.sub(r"\1", text[: PREVIEW_LENGTH * 4]).split())
    return line if len(line) <= PREVIEW_LENGTH else line[: PREVIEW_LENGTH - 1] + "…"
