"""Pages by keyset: an opaque cursor names the last row of the page before."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeVar
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


def read_cursor(cursor: str | None, *, sort: str) -> Place | None:
    """The place after which the page begins; raises `BadCursor` for another sort's."""
    if not cursor:
        return None
    try:
        order, value, row_id = json.loads(urlsafe_b64decode(cursor))
        place = Place(parse_datetime(value), UUID(row_id))  # type: ignore[arg-type]
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise BadCursor(errors={"cursor": ["This is not a cursor of this list."]}) from None
    if order != sort or place.value is None or place.value.tzinfo is None:
        raise BadCursor(errors={"cursor": ["This cursor belongs to another list or sort."]})
    return place


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
    text = json.dumps([sort, value.isoformat(), str(row_id)])
    return {"results": results, "next": urlsafe_b64encode(text.encode()).decode()}
