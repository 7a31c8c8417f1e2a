"""Ids of tool calls that every protocol takes, so that a talk can move between models."""

import re
from collections.abc import Iterable
from hashlib import sha256

_LONGEST = 40
_PORTABLE = re.compile(rf"[A-Za-z0-9_-]{{1,{_LONGEST}}}")


class CallIds:
    """Hands out the ids of one history.

    Some servers name calls "functions.search:0", and some count from zero in every answer; others
    refuse such characters, longer ids, or the same id twice in one request.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken: set[str] = set(taken)

    def new(self, call_id: str) -> str:
        """The id itself where it will do; else one derived from it, the same on every load."""
        plain = call_id if _PORTABLE.fullmatch(call_id) else f"c-{_digest(call_id)}"
        found, number = plain, 1
        while found in self._taken:
            number += 1
            found = f"c-{_digest(f'{plain} {number}')}"
        self._taken.add(found)
        return found


def _digest(text: str) -> str:
    return sha256(text.encode(errors="replace")).hexdigest()[:32]
