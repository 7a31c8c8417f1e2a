"""For the plain table: each value beside the head of its column."""

from collections.abc import Iterable, Iterator
from typing import Any

from django import template

register = template.Library()


@register.filter
def beside(columns: Iterable[Any], cells: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """The columns and the cells of a row, in pairs."""
    return zip(columns, cells, strict=False)
