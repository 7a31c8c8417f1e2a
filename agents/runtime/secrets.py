"""What no answer may repeat: the keys that a run works with, and whatever has a key's shape."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

MASK = "•••"
# Shorter ones would black out ordinary words.
_SHORTEST = 8

# By how the makers of keys begin them; at the beginning of a word only.
_PREFIXES = (
    *("sk-", "sk_live_", "sk_test_", "rk_live_", "AKIA", "ASIA", "AIza", "eyJ"),
    *("ghp_", "gho_", "ghs_", "ghu_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "xoxa-"),
    *("ak_", "wt_"),
)
_BEGUN = "(?<![A-Za-z0-9])(?:" + "|".join(map(re.escape, _PREFIXES)) + ")"
_REST = "[A-Za-z0-9_.+/=-]"
_KEY = re.compile(f"{_BEGUN}{_REST}{{16,4096}}")
# A key that may still grow, and the beginning of a beginning, at the end of what has come so far.
_GROWING = re.compile(f"{_BEGUN}{_REST}{{0,4096}}\\Z")
_BEGINNINGS = sorted({word[:size] for word in _PREFIXES for size in range(1, len(word))})
_LONGEST_BEGINNING = max(map(len, _BEGINNINGS))
_BEGINNING = re.compile("(?<![A-Za-z0-9])(?:" + "|".join(map(re.escape, _BEGINNINGS)) + ")\\Z")
# Without either of them in a text there is no key in it and none that may grow.
_SUSPECT = re.compile(f"{_BEGUN}|{_BEGINNING.pattern}")


class Secrets:
    """Masks words, alike in a whole text and in one that comes in pieces (`Trickle`)."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        words = {part for secret in known for part in (secret, *secret.split())}
        long = [word for word in words if len(word) >= _SHORTEST]
        # The longest first: one may begin with another.
        self._known = sorted(long, key=lambda word: (-len(word), word))
        found = "|".join([*map(re.escape, self._known), _KEY.pattern])
        self._all = re.compile(found)

    def masked(self, text: str, start: int = 0) -> str:
        """What stands from `start` on; what is before only says where a word begins."""
        pieces, place = [], start
        for found in self._all.finditer(text, start):
            pieces += [text[place : found.start()], MASK]
            place = found.end()
        return "".join([*pieces, text[place:]])

    def without_known(self, text: str) -> str:
        """For what tools return: a key that a tool is asked for passes, the run's own do not."""
        for secret in self._known:
            text = text.replace(secret, MASK)
        return text

    def plain(self, value: Any) -> Any:
        """The same JSON value with every string in it masked."""
        if isinstance(value, str):
            return self.masked(value)
        if isinstance(value, Mapping):
            return {key: self.plain(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain(item) for item in value]
        return value

    def is_harmless(self, text: str, start: int = 0) -> bool:
        """Whether it holds no secret and ends in none's beginning; quick, for every piece of one.

        May say no where nothing is to be masked, and never yes where something is.
        """
        if _SUSPECT.search(text, start):
            return False
        return not any(word in text or _overlap(text[start:], word) for word in self._known)

    def open_from(self, text: str, start: int = 0) -> int:
        """Where something begins that further pieces may make a secret of; else the text's end."""
        place = len(text)
        # No beginning is longer, so nothing further back can be one at the end.
        near = max(start, place - _LONGEST_BEGINNING)
        for found in (_GROWING.search(text, start), _BEGINNING.search(text, near)):
            place = min(place, found.start()) if found else place
        place = min([place, *(len(text) - _overlap(text[start:], word) for word in self._known)])
        # A whole secret is never parted.
        for found in self._all.finditer(text, start):
            if found.start() < place < found.end():
                return found.start()
        return place


class Trickle:
    """Masks a text that comes in pieces, and holds back only what may still become a secret."""

    def __init__(self, secrets: Secrets) -> None:
        # With the character before it: a key begins at the beginning of a word only.
        self._secrets, self._before, self._held = secrets, "", ""

    def add(self, piece: str) -> str:
        text, start = self._before + self._held + piece, len(self._before)
        if self._secrets.is_harmless(text, start):
            self._before, self._held = text[-1:], ""
            return text[start:] if start else text
        self._held += piece
        return self._let_out(self._secrets.open_from(text, start) - start)

    def rest(self) -> str:
        return self._let_out(len(self._held))

    def whole(self, text: str) -> str:
        """All that was said, once more and complete; nothing is held back any more."""
        self._before, self._held = text[-1:], ""
        return self._secrets.masked(text)

    def _let_out(self, place: int) -> str:
        ready, self._held = self._held[:place], self._held[place:]
        before, self._before = self._before, ready[-1:] or self._before
        return self._secrets.masked(before + ready, len(before))


def _overlap(text: str, word: str) -> int:
    """How much of the text's end is a beginning of the word, the whole word excepted."""
    if text[-1:] not in word:
        return 0
    longest = min(len(text), len(word) - 1)
    sizes = (size for size in range(longest, 0, -1) if text.endswith(word[:size]))
    return next(sizes, 0)
