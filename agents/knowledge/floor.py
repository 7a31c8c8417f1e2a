"""When what was found is too little to answer from."""

import math

# Calibrated with bench/knowledge.py; see docs/decisions.
FLOOR = 0.25


def perfect(concepts: int, rarest: float) -> float:
    """The score that counts as 1: one perfect word, made fair to long questions.

    Every further word of a question adds some chance matches; the root of their number keeps a long question
    from passing on those alone. `rarest` makes small and large collections comparable.
    """
    return max(rarest, 1.0) * math.sqrt(max(concepts, 1))


def sufficient(best: float) -> bool:
    """Whether the strength of the best passage allows an answer from it."""
    return best >= FLOOR
