"""How much of a talk a model is shown: views of its rows, which stay as they are."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from agents.services.tokens import Count, by_characters
from conversations.models import MessageRole
from conversations.transcript import Row

TOKEN_BUDGET = 30_000


class Extent(TypedDict):
    """The numbers that a view keeps to."""

    limit: int
    tokens: int
    count: Count


def window(
    rows: Sequence[Row],
    *,
    limit: int,
    tokens: int = TOKEN_BUDGET,
    count: Count = by_characters,
) -> list[Row]:
    """The newest rows that fit, beginning with a customer's line; the rows stay as they are.

    The customer's lines that wait for an answer are never cut, and neither is anything after them;
    a call is never parted from its result, even when both take more than there is.
    """
    wanted = min(_fitting(rows, limit, tokens, count), _running(rows))
    starts = _starts(rows)
    later = next((start for start in starts if start >= wanted), None)
    if later is None:
        later = starts[-1] if starts else _snapped(rows, wanted)
    return list(rows[later:])


def is_long(rows: Sequence[Row], *, limit: int, tokens: int, count: Count) -> bool:
    """Whether a talk may have left the window: below this nothing is summed up."""
    return len(rows) * 2 >= limit or tokens_in(rows, count) * 2 > tokens


def is_full(rows: Sequence[Row], *, limit: int, tokens: int, count: Count) -> bool:
    """Whether the next turns would push lines out: three quarters of either number are used."""
    return len(rows) * 4 > limit * 3 or tokens_in(rows, count) * 4 > tokens * 3


def summable(rows: Sequence[Row], *, keep: int, tokens: int, count: Count) -> list[int]:
    """Where the older part of a talk may end that a summary takes the place of, shortest first.

    Behind the last of these places stands about what is to be kept word by word. Every place is one
    where a window may begin, and where all lines before it have lower numbers than all after it, so
    that one number tells which lines the summary is of.
    """
    wanted = _fitting(rows, keep, tokens, count)
    return [start for start in _starts(rows) if 0 < start <= wanted and _is_parted(rows, start)]


def tokens_in(rows: Iterable[Row], count: Count) -> int:
    return sum(_tokens(row, count) for row in rows)


def _tokens(row: Row, count: Count) -> int:
    said = count(row.text)
    if not row.parts:
        return said
    return said + count(json.dumps(row.parts, ensure_ascii=False, default=str))


def _fitting(rows: Sequence[Row], limit: int, tokens: int, count: Count) -> int:
    """From where on the rows are within both numbers."""
    start, spent = len(rows), 0
    while start > max(0, len(rows) - limit):
        spent += _tokens(rows[start - 1], count)
        if spent > tokens:
            break
        start -= 1
    return start


def _starts(rows: Sequence[Row]) -> list[int]:
    """The customer's lines up to the running turn's first, with no call before and result after."""
    last, parting = _running(rows), _parting(rows)
    return [
        index
        for index, row in enumerate(rows[: last + 1])
        if row.role == MessageRole.CUSTOMER and index not in parting
    ]


def _parting(rows: Sequence[Row]) -> set[int]:
    """Where a cut would part a call from its result."""
    calls: dict[str, int] = {}
    found: set[int] = set()
    for index, row in enumerate(rows):
        for part in row.parts or []:
            kind, names = _tool_traffic(part)
            if kind == "function_call":
                calls |= dict.fromkeys(names, index)
            elif kind == "function_result":
                before = [calls.pop(name) for name in names if name in calls]
                found.update(range(max(before, default=index) + 1, index + 1))
    return found


def _tool_traffic(part: Any) -> tuple[str, list[str]]:
    """A part's type, and the names by which a call and its result find each other."""
    if not isinstance(part, Mapping):
        return "", []
    names = [f"{key} {part[key]}" for key in ("id", "call_id") if part.get(key)]
    return str(part.get("type")), names


def _is_parted(rows: Sequence[Row], place: int) -> bool:
    before, after = rows[:place], rows[place:]
    return max(row.seq for row in before) < min(row.seq for row in after)


def _running(rows: Sequence[Row]) -> int:
    """Where the customer's unanswered lines begin; the last customer line when all are answered."""
    index = len(rows)
    while index and rows[index - 1].role != MessageRole.CUSTOMER:
        index -= 1
    while index and rows[index - 1].role == MessageRole.CUSTOMER:
        index -= 1
    return index


def _snapped(rows: Sequence[Row], start: int) -> int:
    """The next customer line from `start` on: a window never opens inside a turn."""
    for index in range(start, len(rows)):
        if rows[index].role == MessageRole.CUSTOMER:
            return index
    return start
