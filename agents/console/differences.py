"""What changed between two texts, line by line, readable without colour."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

_NEARBY = 2


class Line(NamedTuple):
    """A line of either text: "kept", "added", "removed", or "skipped" for lines left out."""

    kind: str
    text: str
    lines: int = 1


def differences(before: str, after: str) -> list[Line]:
    """Every changed line with two unchanged ones around; empty when nothing changed."""
    if before == after:
        return []
    return list(_lines(before.splitlines(), after.splitlines()))


def _lines(before: list[str], after: list[str]) -> Iterator[Line]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    blocks = matcher.get_opcodes()
    for number, (kind, b0, b1, a0, a1) in enumerate(blocks):
        if kind == "equal":
            is_first, is_last = number == 0, number == len(blocks) - 1
            yield from _around(after[a0:a1], is_first=is_first, is_last=is_last)
            continue
        yield from (Line("removed", text) for text in before[b0:b1])
        yield from (Line("added", text) for text in after[a0:a1])


def _around(lines: list[str], *, is_first: bool, is_last: bool) -> Iterator[Line]:
    head = [] if is_first else lines[:_NEARBY]
    tail = [] if is_last else lines[len(head) :][-_NEARBY:]
    left_out = len(lines) - len(head) - len(tail)
    yield from (Line("kept", text) for text in head)
    if left_out:
        yield Line("skipped", "", left_out)
    yield from (Line("kept", text) for text in tail)
