"""What a mistyped word may have meant."""

from collections.abc import Iterable

from agents.knowledge.terms import is_stop_word
from agents.knowledge.thesaurus import thesaurus

SHORTEST = 4
# From this length on two slips are forgiven instead of one.
LONG = 8


def may_be_mistyped(word: str) -> bool:
    """A word of letters, long enough to be told from others, that is not known to be right."""
    return len(word) >= SHORTEST and word.isalpha() and not thesaurus().knows(word)


def is_slip_of_stop_word(word: str) -> bool:
    """Two neighbouring letters swapped give a word that says nothing: "hwo", "teh", "adn"."""
    swaps = (word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1))
    return any(map(is_stop_word, swaps))


def corrections(word: str, known: Iterable[str]) -> list[str]:
    """Those of the known words that are fewest slips away, at most three."""
    allowed = 1 if len(word) < LONG else 2
    near = [(slips(word, other), other) for other in known if _begins_alike(word, other)]
    fewest = min((distance for distance, _ in near), default=allowed + 1)
    if fewest > allowed:
        return []
    return sorted(other for distance, other in near if distance == fewest)[:3]


def slips(one: str, other: str) -> int:
    """Letters added, left out, replaced or swapped with the next, at least."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]


def _begins_alike(word: str, other: str) -> bool:
    # People rarely miss a word's first letter; they do swap the first two.
    return (
        len(other) >= SHORTEST
        and other.isalpha()
        and (word[0] == other[0] or (word[0] == other[1] and word[1] == other[0]))
    )
