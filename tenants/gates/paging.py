"""Pages by keyset: an opaque cursor names the last row of the page before."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol, TypeVar
from uuid import UUID

from django.utils.dateparse import parse_datetime
from rest_framework import serializers

from tenants.errors import InvalidInput

_Row = TypeVar("_Row")


class Place(NamedTuple):
    """A row's place in an order: the sorted value, and the id where values are equal."""

    value: datetime
    id: UUID


class PageQuery(serializers.Serializer[None]):
    """Parameters of every list."""

    limit = serializers.IntegerField(default=50, min_value=1, max_value=200)
    cursor = serializers.CharField(required=False, max_length=200)


class BadCursor(InvalidInput):
    """Not a cursor of this list."""

    code = "invalid_cursor"
    detail = "Take the cursor from `next` of the page before, with the same sort."


_NOT_A_CURSOR = (ValueError, TypeError, AttributeError, RecursionError)
_NOT_OURS = {"cursor": ["This is not a cursor of this list and sort."]}


def read_cursor(cursor: str | None, *, sort: str) -> Place | None:
    """The place after which the page begins; raises `BadCursor` for another sort's."""
    if not cursor:
        return None
    try:
        order, value, row_id = _unpack(cursor)
        at, place_id = parse_datetime(value), UUID(row_id)
    except _NOT_A_CURSOR:
        raise BadCursor(errors=_NOT_OURS) from None
    if order != sort or at is None or at.tzinfo is None:
        raise BadCursor(errors=_NOT_OURS)
    return Place(at, place_id)


def page(
    rows: Sequence[_Row],
    limit: int,
    *,
    sort: str,
    place_of: Callable[[_Row], Place],
    shape: Callable[[_Row], dict[str, Any]],
) -> dict[str, Any]:
    """The page of `limit + 1` rows that were read: one more says that there is a next page."""
    kept = rows[:limit]
    results = [shape(row) for row in kept]
    if len(rows) <= limit:
        return {"results": results, "next": None}
    value, row_id = place_of(kept[-1])
    return {"results": results, "next": _pack([sort, value.isoformat(), str(row_id)])}


class Numbered(Protocol):
    """A line of a conversation."""

    seq: int


_Line = TypeVar("_Line", bound=Numbered)


def numbered_page(
    rows: Sequence[_Line], limit: int, *, shape: Callable[[_Line], dict[str, Any]]
) -> dict[str, Any]:
    """The same for lines, whose place is their number."""
    kept = rows[:limit]
    following = _pack(["seq", kept[-1].seq]) if len(rows) > limit else None
    return {"results": [shape(row) for row in kept], "next": following}


def read_number(cursor: str | None) -> int:
    """The number after which the page begins; 0 without a cursor."""
    if not cursor:
        return 0
    try:
        order, seq = _unpack(cursor)
    except _NOT_A_CURSOR:
        raise BadCursor(errors=_NOT_OURS) from None
    if order != "seq" or type(seq) is not int or not 0 <= seq < 2**63:
        raise BadCursor(errors=_NOT_OURS)
    return seq


def _pack(values: list[Any]) -> str:
    return urlsafe_b64encode(json.dumps(values).encode()).decode()


def _unpack(cursor: str) -> Any:
    return json.loads(urlsafe_b64decode(cursor))
