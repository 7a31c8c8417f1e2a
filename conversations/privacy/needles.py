"""What the scanner looks for: a word of a person in every spelling that a store may keep it in."""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, quote_plus

# Shorter words would be found everywhere by chance, in base64 most of all.
SHORTEST = 4


class TooShort(ValueError):
    """A word that chance alone would find."""


@dataclass(frozen=True, slots=True)
class Needles:
    """`folded` are compared in small letters, `exact` letter by letter (base64 has both cases).

    `raw` is for bytes that are no text, in small letters as far as those are ASCII's.
    """

    folded: tuple[str, ...]
    exact: tuple[str, ...]
    raw: tuple[bytes, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.folded)

    def are_in(self, text: str) -> bool:
        small = text.lower()
        return any(one in small for one in self.folded) or any(one in text for one in self.exact)


def needles(words: Iterable[str]) -> Needles:
    """Every spelling of these words; raises `TooShort` for one that proves nothing."""
    folded: set[str] = set()
    exact: set[str] = set()
    raw: set[bytes] = set()
    for word in words:
        if len(word) < SHORTEST:
            raise TooShort(word)
        for form in {word, word.lower()}:
            folded.update(spelling.lower() for spelling in _spellings(form))
            for text in _in_json(form):
                exact.update(_base64(text.encode()))
        raw.update(_raw(word))
    return Needles(tuple(sorted(folded)), tuple(sorted(exact)), tuple(sorted(raw)))


def _spellings(word: str) -> set[str]:
    """As text, JSON, JSON in JSON, an address, bytes; and each as PostgreSQL prints a row of it."""
    plain = _in_json(word)
    nested = {inner for outer in plain for inner in _in_json(outer)}
    encoded = {quote(word, safe=""), quote_plus(word), word.encode().hex(), _octal(word.encode())}
    found = plain | nested | encoded
    return found | {_in_row(text) for text in found}


def _in_json(text: str) -> set[str]:
    return {text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}


def _in_row(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '""')


def _octal(raw: bytes) -> str:
    """As `encode(…, 'escape')` shows what is not ASCII."""
    return "".join(chr(one) if one < 128 else f"\\{one:03o}" for one in raw)


def _raw(word: str) -> set[bytes]:
    """As UTF-8 and UTF-16 of either order. Letters beyond ASCII have no small form as bytes."""
    found: set[bytes] = set()
    for form in {word, word.lower(), word.upper()}:
        found.update(text.encode().lower() for text in _in_json(form))
        little, big = form.encode("utf-16-le").lower(), form.encode("utf-16-be").lower()
        # Of plain letters both orders share all but a zero.
        found.update({little[:-1]} if form.isascii() else {little, big})
    return found


def _base64(raw: bytes) -> set[str]:
    """The three ways in which bytes can lie in base64, without what their neighbours decide."""
    found: set[str] = set()
    for before in range(3):
        padded = b"\0" * before + raw
        # A character of base64 is six bits: those that are not all the word's own are cut off.
        first, last = -(-before * 8 // 6), len(padded) * 8 // 6
        for encoded in (b64encode(padded), urlsafe_b64encode(padded)):
            found.add(encoded.decode()[first:last])
    return found
