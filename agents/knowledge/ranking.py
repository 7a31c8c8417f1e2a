"""How well a passage answers: BM25F over concepts, each counted once, by the best of its words."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from agents.knowledge.concepts import Concept
from agents.knowledge.typos import is_slip_of_stop_word

# How much a word counts in the page's title, in the headings and in the text.
TITLE, HEADING = 0.5, 2.0
SATURATION = 1.2
# How much a long text is held against it, and the number of words that counts as neither long nor
# short.
LENGTH_PENALTY = 0.6
TYPICAL_WORDS = 90
# What is left of the score of a passage on a page that says of itself that it is outdated.
OUTDATED = 0.9

# In fewer passages than this, that a word stands in all of them says nothing about the word.
SMALLEST_COLLECTION = 100

Counts = Sequence[int]
# A stem to look up, the number of its concept, and what it is worth.
Driver = tuple[str, int, float]


@dataclass(frozen=True)
class Vocabulary:
    """What the tenant's passages say: the stems of a word, and how many passages hold each."""

    stems: Mapping[str, Mapping[str, int]]
    passages: int

    def knows(self, word: str) -> bool:
        return word in self.stems

    def rarity(self, word: str) -> float:
        """High for a word of few passages, near 0 for one of nearly all."""
        held = min(sum(self.stems.get(word, {}).values()), self.passages)
        return math.log(1 + (self._size - held + 0.5) / (held + 0.5))

    @cached_property
    def held(self) -> dict[str, int]:
        """How many passages hold a stem."""
        return {stem: held for stems in self.stems.values() for stem, held in stems.items()}

    @property
    def rarest(self) -> float:
        return math.log(1 + (self._size + 0.5) / 0.5)

    @property
    def _size(self) -> int:
        return max(self.passages, SMALLEST_COLLECTION)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to speak of a concept: the stems of each word, and what finding all is worth."""

    words: tuple[tuple[str, ...], ...]
    worth: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage from the index, with the counts (title, headings, text) of the asked stems."""

    passage_id: UUID
    article_id: UUID
    length: int
    outdated: bool
    counts: Mapping[str, Counts]


def ways_of(asked: Iterable[Concept], vocabulary: Vocabulary) -> list[list[Way]]:
    """What to look for, a list a concept; empty where the tenant's passages have no word for it.

    Two words of the question with the same stem are one concept.
    """
    seen: set[frozenset[str]] = set()
    found = []
    for concept in asked:
        own = frozenset(vocabulary.stems.get(concept.word, ())) or frozenset({concept.word})
        ways = _ways(concept, vocabulary)
        if own not in seen and (ways or not is_slip_of_stop_word(concept.word)):
            seen.add(own)
            found.append(ways)
    return found


def _ways(concept: Concept, vocabulary: Vocabulary) -> list[Way]:
    ways = []
    limit = math.inf
    if vocabulary.knows(concept.word):
        # Another word must not count for more than the customer's own, however rare it is.
        limit = vocabulary.rarity(concept.word)
        ways.append(Way((tuple(vocabulary.stems[concept.word]),), limit))
    for phrase, worth in concept.others.items():
        if all(vocabulary.knows(word) for word in phrase):
            rarity = sum(vocabulary.rarity(word) for word in phrase) / len(phrase)
            stems = tuple(tuple(vocabulary.stems[word]) for word in phrase)
            ways.append(Way(stems, worth * min(rarity, limit)))
    return ways


def worths(asked: list[list[Way]], vocabulary: Vocabulary) -> list[float]:
    """What each concept could earn; one that no passage speaks of as much as the rarest word."""
    return [max((way.worth for way in ways), default=vocabulary.rarest) for ways in asked]


def score(candidate: Candidate, asked: list[list[Way]]) -> float:
    """The concepts' best ways, each worth less where its words are few or the text is long."""
    norm = 1 - LENGTH_PENALTY + LENGTH_PENALTY * candidate.length / TYPICAL_WORDS
    filled = {stem: _filled(counts, norm) for stem, counts in candidate.counts.items()}
    total = sum(max((_value(way, filled) for way in ways), default=0.0) for ways in asked)
    return total * OUTDATED if candidate.outdated else total


def _filled(counts: Counts, norm: float) -> float:
    """How much of a word's worth a passage earns: the first time counts most, a heading for two."""
    title, heading, text = counts
    weight = TITLE * min(title, 1) + HEADING * heading + text / norm
    return weight / (weight + SATURATION)


def _value(way: Way, filled: Mapping[str, float]) -> float:
    total = 0.0
    for stems in way.words:
        best = max((filled.get(stem, 0.0) for stem in stems), default=0.0)
        if not best:
            return 0.0
        total += best
    return way.worth * total / len(way.words)


def drivers(asked: list[list[Way]], vocabulary: Vocabulary, budget: int) -> list[Driver]:
    """What to look up in the index: the worthiest stems, until they would bring `budget` passages.

    A word of nearly all passages finds none that a rarer one does not find; it only costs.
    """
    worths: dict[tuple[str, int], float] = {}
    for group, ways in enumerate(asked):
        for way in ways:
            for stem in (stem for stems in way.words for stem in stems):
                worth = way.worth / len(way.words)
                worths[stem, group] = max(worth, worths.get((stem, group), 0.0))
    best = sorted(worths.items(), key=lambda item: (-item[1], item[0]))
    chosen: list[Driver] = []
    for (stem, group), worth in best:
        budget -= vocabulary.held[stem]
        if chosen and budget < 0:
            break
        chosen.append((stem, group, worth))
    return chosen
