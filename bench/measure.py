"""Interleaving, statistics and tables, on the standard library alone: peers share them too."""

import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

# Runs so many turns one after the other and returns the seconds of each.
Block = Callable[[int], list[float]]
# Stands around a turn and nothing else.
Watch = AbstractContextManager[object]
LENGTHS = (10, 100, 1_000, 10_000)
REFERENCE = "raw"


@dataclass(frozen=True)
class Size:
    """How long a benchmark goes on."""

    quick: bool
    rounds: int
    turns: int

    @classmethod
    def of(cls, *, quick: bool) -> "Size":
        return cls(quick, rounds=8, turns=3) if quick else cls(quick, rounds=40, turns=5)


@dataclass
class Table:
    """Named rows of figures, printed as Markdown."""

    title: str
    columns: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, *cells: object) -> None:
        self.rows.append([str(cell) for cell in cells])

    def __str__(self) -> str:
        lines = [f"### {self.title}", "", _line(self.columns), _line(["---"] * len(self.columns))]
        lines += [_line(row) for row in self.rows]
        if self.notes:
            lines += ["", *(f"- {note}" for note in self.notes)]
        return "\n".join([*lines, ""])


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


@dataclass(frozen=True)
class Reading:
    """What one contestant took: milliseconds of all its turns, and its ratio to the reference."""

    name: str
    ms: list[float]
    ratio: float

    @property
    def median(self) -> float:
        return statistics.median(self.ms)

    @property
    def p95(self) -> float:
        return percentile(self.ms, 95)


def interleave(
    reference: Block, contestants: Mapping[str, Block], size: Size, *, what: str = ""
) -> list[Reading]:
    """Each contestant's block stands between two blocks of the reference, in every round.

    The ratio of a round is to the mean of its two neighbours, so a machine that gets slower for a
    while slows both; the ratio that counts is the median of the rounds.
    """
    for block in (reference, *contestants.values()):
        block(15)  # connections, imports, prepared statements and their plans
    times: dict[str, list[float]] = {name: [] for name in (REFERENCE, *contestants)}
    ratios: dict[str, list[float]] = {name: [] for name in contestants}
    for number in range(size.rounds):
        if number % 10 == 0:
            progress(f"{what}: round {number + 1} of {size.rounds}")
        before = reference(size.turns)
        for name, block in contestants.items():
            taken, after = block(size.turns), reference(size.turns)
            floor = (statistics.median(before) + statistics.median(after)) / 2
            ratios[name].append(statistics.median(taken) / floor)
            times[name] += taken
            times[REFERENCE] += before
            before = after
    progress("")
    readings = [Reading(REFERENCE, _ms(times[REFERENCE]), 1.0)]
    readings += [
        Reading(name, _ms(times[name]), statistics.median(ratios[name])) for name in contestants
    ]
    return readings


def timed(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def percentile(values: Sequence[float], percent: int) -> float:
    """By nearest rank."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def _ms(seconds: Iterable[float]) -> list[float]:
    return [value * 1e3 for value in seconds]


def progress(text: str) -> None:
    """One line that replaces itself on a terminal; plain lines elsewhere."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
    elif text:
        print(f"  {text}", file=sys.stderr, flush=True)
