"""Other words for the same thing: general support vocabulary, and other languages' words for it.

The tenant's own vocabulary decides what becomes of them: a word that no passage uses costs nothing.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from agents.knowledge.terms import words

_DATA = Path(__file__).parent / "data"

Phrase = tuple[str, ...]

# Endings that customers' languages put behind a word, the longest first; what is left only finds
# the entry.
_ENDINGS = tuple(
    sorted(
        (
            "ations", "ation", "ating", "ated", "ates", "ingly", "ings", "ing", "edly",
            "ed", "es", "s", "ly", "e", "er", "ers", "en", "ern",
            "em", "n", "t", "te", "ten", "st", "y", "ies", "ied",
            "ar", "ir", "ando", "iendo", "ado", "ada", "ados", "adas", "ido",
            "ida", "o", "os", "a", "as", "ez", "ons", "ent", "i",
            "endo", "ato", "are", "ere", "ire", "и", "ы", "а", "у",
            "е", "ь",
        ),
        key=len,
        reverse=True,
    )
)  # fmt: skip
_SHORTEST_ROOT = 4


@dataclass
class Thesaurus:
    """Entries by the root of their phrase: `same` in one language, `foreign` across languages."""

    same: dict[Phrase, set[Phrase]] = field(default_factory=lambda: defaultdict(set))
    foreign: dict[Phrase, set[Phrase]] = field(default_factory=lambda: defaultdict(set))
    longest: int = 1

    def matches(self, asked: list[str]) -> Iterator[tuple[int, int, Phrase]]:
        """Every stretch (first, end) of the words that is an entry, with its key."""
        roots = [root(word) for word in asked]
        for first in range(len(roots)):
            for end in range(first + 1, min(first + self.longest, len(roots)) + 1):
                key = tuple(roots[first:end])
                if key in self.same or key in self.foreign:
                    yield first, end, key

    def knows(self, word: str) -> bool:
        """Whether the word is a known word, hence no typing mistake."""
        key = (root(word),)
        return key in self.same or key in self.foreign


@cache
def root(word: str) -> str:
    """A word without its ending, roughly; only good for finding an entry."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_ROOT:
            word = word[: -len(ending)]
            break
    doubled = len(word) > _SHORTEST_ROOT and word[-1] == word[-2]
    return word[:-1] if doubled else word


@cache
def thesaurus() -> Thesaurus:
    """The shipped entries, read once a process."""
    entries = Thesaurus()
    for group in _phrases_of_lines("synonyms.txt"):
        for phrase in group:
            entries.same[_key(phrase)].update(other for other in group if other != phrase)
    for line in _lines("translations.txt"):
        if "=" in line:
            theirs, ours = (_phrases(side) for side in line.split("=", 1))
            for phrase in theirs:
                entries.foreign[_key(phrase)].update(ours)
            for phrase in ours:
                entries.foreign[_key(phrase)].update(theirs)
    entries.longest = max(len(key) for key in [*entries.same, *entries.foreign])
    return entries


def _key(phrase: Phrase) -> Phrase:
    return tuple(root(word) for word in phrase)


def _phrases_of_lines(name: str) -> Iterator[list[Phrase]]:
    for line in _lines(name):
        yield _phrases(line)


def _phrases(listed: str) -> list[Phrase]:
    return [tuple(words(item)) for item in listed.split(",") if item.strip()]


def _lines(name: str) -> list[str]:
    text = (_DATA / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
