"""When what was found is too little to answer from."""

import math

# Calibrated with bench/knowledge.py; see docs/decisions.
FLOOR = 0.25


def strength(score: float, concepts: int, rarest: float) -> float:
    """The score as a share of what one perfect word would give, made fair to long questions.

    Every further word of a question adds some chance matches; the root of their number keeps a long
    question from passing on those alone. `rarest` makes large and small collections comparable.
    """
    if not concepts or not rarest:
        return 0.0
    return score / (rarest * math.sqrt(concepts))


def sufficient(best: float) -> bool:
    """Whether the strength of the best passage allows an answer from it."""
    return best >= FLOOR
