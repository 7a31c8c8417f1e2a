"""When what was found is too little to answer from."""

import math
from collections.abc import Sequence

# Both calibrated by bench/knowledge.py on questions with and without an answer; the numbers are
# flat around here. Higher refuses more that could be answered.
FLOOR = 0.25
HALF = 0.5


def par(worths: Sequence[float], rarest: float) -> float:
    """The score that counts as 1, from what each concept of the question could earn.

    The lesser of two. One perfect rare word, made fair to long questions: every further word
    brings some chance matches, and the root of their number keeps a question from passing on
    those alone. Or twice what all its words could earn: a short question of common words
    ("opening hours?") is answered when they are all there. `rarest` is the worth of a word that
    no passage holds; it makes small and large collections comparable.
    """
    one_word = rarest * math.sqrt(len(worths))
    return max(min(one_word, sum(worths) / HALF), 1e-9)


def sufficient(best: float) -> bool:
    """Whether the best passage's share of par allows an answer from it."""
    return best >= FLOOR
