"""A customer's question as the things it speaks of, each with the words that may stand for it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from agents.knowledge.terms import is_stop_word, words
from agents.knowledge.thesaurus import Phrase, root, thesaurus

# What another word for the same thing is worth beside the customer's own.
SAME_LANGUAGE = 0.75
OTHER_LANGUAGE = 0.9
CORRECTED = 0.8
# A longer question is cut: what is asked stands at its beginning or was asked before.
MOST_WORDS = 60
LONGEST_QUESTION = 4_000


@dataclass(slots=True)
class Concept:
    """A word of the question and its other words, each with its worth between 0 and 1."""

    word: str
    others: dict[Phrase, float] = field(default_factory=dict)

    def offer(self, phrase: Phrase, worth: float) -> None:
        telling = tuple(word for word in phrase if not is_stop_word(word)) or phrase
        if telling != (self.word,):
            self.others[telling] = max(self.others.get(telling, 0.0), worth)

    def words(self) -> set[str]:
        return {self.word}.union(*self.others)


def concepts(question: str, previous: str = "") -> list[Concept]:
    """The concepts of the question, and after them those of the customer's line before it."""
    asked = _concepts_of(question)
    seen = {concept.word for concept in asked}
    asked += [concept for concept in _concepts_of(previous) if concept.word not in seen]
    return asked[:MOST_WORDS]


def _concepts_of(text: str) -> list[Concept]:
    said = words(text[:LONGEST_QUESTION])
    telling = [word for word in said if not is_stop_word(word)] or said
    by_word = {word: Concept(word) for word in telling}
    for first, end, key in thesaurus().matches(said):
        spoken = [by_word[word] for word in said[first:end] if word in by_word]
        for phrase, worth in _others(key):
            for concept in spoken:
                # A phrase of several words is worth as much as one word, not several times that.
                concept.offer(phrase, worth / len(spoken) ** 0.5)
    return list(by_word.values())


def _others(key: Phrase) -> Iterator[tuple[Phrase, float]]:
    entries = thesaurus()
    for phrase in entries.same.get(key, ()):
        yield phrase, SAME_LANGUAGE
    for phrase in entries.foreign.get(key, ()):
        yield phrase, OTHER_LANGUAGE
        for further in entries.same.get(tuple(root(word) for word in phrase), ()):
            yield further, OTHER_LANGUAGE * SAME_LANGUAGE
