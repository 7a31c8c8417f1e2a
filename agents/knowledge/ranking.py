"""How well a passage answers: BM25F over concepts, each counted once, by the best of its words."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from agents.knowledge.concepts import Concept

# How much a word counts in the page's title, in the headings and in the text.
TITLE, HEADING = 0.5, 2.0
SATURATION = 1.2
# How much a long text is held against it, and the number of words that counts as neither long nor short.
LENGTH_PENALTY = 0.6
TYPICAL_WORDS = 90
# What is left of the score of a passage on a page that says of itself that it is outdated.
OUTDATED = 0.9

Counts = Sequence[int]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the tenant's passages say: the stems of a word, and how many passages hold each."""

    stems: Mapping[str, Mapping[str, int]]
    passages: int

    def knows(self, word: str) -> bool:
        return word in self.stems

    def rarity(self, word: str) -> float:
        """High for a word of few passages, near 0 for one of nearly all."""
        held = min(sum(self.stems.get(word, {}).values()), self.passages)
        return math.log(1 + (self.passages - held + 0.5) / (held + 0.5))

    @property
    def rarest(self) -> float:
        return math.log(1 + (self.passages + 0.5) / 0.5)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to speak of a concept: the stems of each of its words, and what finding them all is worth."""

    words: tuple[tuple[str, ...], ...]
    worth: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that the database found, with the counts (title, headings, text) of the asked stems."""

    passage_id: UUID
    length: int
    counts: Mapping[str, Counts]


def ways_of(asked: Iterable[Concept], vocabulary: Vocabulary) -> list[list[Way]]:
    """What to look for, a list a concept; empty where the tenant's passages have no word for it.

    Two words of the question with the same stem are one concept.
    """
    seen: set[frozenset[str]] = set()
    found = []
    for concept in asked:
        own = frozenset(vocabulary.stems.get(concept.word, ())) or frozenset({concept.word})
        if own not in seen:
            seen.add(own)
            found.append(_ways(concept, vocabulary))
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


def score(candidate: Candidate, asked: list[list[Way]], *, outdated: bool = False) -> float:
    """The sum over the concepts of the best way's worth, less where its words are few or the text is long."""
    total = sum(max((_value(way, candidate) for way in ways), default=0.0) for ways in asked)
    return total * OUTDATED if outdated else total


def _value(way: Way, candidate: Candidate) -> float:
    weights = [_weight(stems, candidate) for stems in way.words]
    if not all(weights):
        return 0.0
    return way.worth * sum(w / (w + SATURATION) for w in weights) / len(weights)


def _weight(stems: tuple[str, ...], candidate: Candidate) -> float:
    norm = 1 - LENGTH_PENALTY + LENGTH_PENALTY * candidate.length / TYPICAL_WORDS
    weight = 0.0
    for stem in stems:
        title, heading, text = candidate.counts.get(stem, (0, 0, 0))
        weight = max(weight, TITLE * min(title, 1) + HEADING * heading + text / norm)
    return weight
