"""Killing work at a statement, and counting how many there are."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection


class Killed(BaseException):
    """As abrupt as the end of a process, seen from the database: nothing after it happens."""


def killed_after(statements: int, act: Callable[[], object]) -> bool:
    """Runs `act`; the connection dies before that statement. Returns whether it came so far."""
    left = [statements]

    def count(execute: Callable[..., Any], *arguments: Any) -> Any:
        left[0] -= 1
        if left[0] <= 0:
            raise Killed
        return execute(*arguments)

    try:
        with connection.execute_wrapper(count):
            act()
    except Killed:
        connection.close()
        return True
    return False


@contextmanager
def counting() -> Iterator[list[int]]:
    """How many statements the block sends, as the one item of the list."""
    seen = [0]

    def count(execute: Callable[..., Any], *arguments: Any) -> Any:
        seen[0] += 1
        return execute(*arguments)

    with connection.execute_wrapper(count):
        yield seen
