"""Bars by day, as numbers for an SVG that the server draws: no script, no style attribute."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils import formats

WIDTH, HEIGHT = 900, 240
_LEFT, _TOP, _BASE = 52, 12, 212
_MOST_DAY_LABELS = 10
_TICKS = 4


@dataclass(frozen=True, slots=True)
class Bar:
    """A day's value, and the part of it that failed."""

    value: int
    failed: int = 0


def chart(days: Sequence[date], bars: Mapping[date, Bar]) -> dict[str, Any]:
    """Geometry for `usage/_chart.html`; no bars when there is nothing to show."""
    top = nice_top(max((bar.value for bar in bars.values()), default=0))
    room = (WIDTH - _LEFT) / max(len(days), 1)
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "base": _BASE,
        "bars": [_bar(n, room, day, bars.get(day, Bar(0)), top) for n, day in enumerate(days)]
        if top
        else [],
        "ticks": [_tick(top * step // _TICKS, top) for step in range(_TICKS + 1)] if top else [],
        "days": _day_labels(days, room),
    }


def nice_top(most: int) -> int:
    """The smallest of 4, 8, 20, 40, 80, 200 … that holds the highest bar; 0 for no bar."""
    if most <= 0:
        return 0
    power: int = 10 ** max(math.floor(math.log10(most)) - 1, 0)
    steps = (4, 8, 20, 40, 80, 200)
    return next(step * power for step in steps if step * power >= most)


def short(value: int) -> str:
    """`1.5M`, `20k`, `8`."""
    for size, sign in ((1_000_000, "M"), (1_000, "k")):
        if value >= size:
            return f"{value / size:.1f}".removesuffix(".0") + sign
    return str(value)


def _bar(number: int, room: float, day: date, bar: Bar, top: int) -> dict[str, Any]:
    height = _height(bar.value - bar.failed, top)
    failed = _height(bar.failed, top)
    return {
        "x": round(_LEFT + number * room + room * 0.15, 1),
        "width": round(room * 0.7, 1),
        "y": round(_BASE - height, 1),
        "height": round(height, 1),
        "failed_y": round(_BASE - height - failed, 1),
        "failed_height": round(failed, 1),
        "label": formats.date_format(day, "j M Y"),
        "value": f"{bar.value:,}",
        "failed_value": f"{bar.failed:,}" if bar.failed else "",
    }


def _height(value: int, top: int) -> float:
    return (_BASE - _TOP) * value / top


def _tick(value: int, top: int) -> dict[str, Any]:
    return {"y": round(_BASE - _height(value, top), 1), "label": short(value)}


def _day_labels(days: Sequence[date], room: float) -> list[dict[str, Any]]:
    every = max(math.ceil(len(days) / _MOST_DAY_LABELS), 1)
    return [
        {
            "x": round(_LEFT + (number + 0.5) * room, 1),
            "label": formats.date_format(day, "j M"),
        }
        for number, day in enumerate(days)
        if number % every == 0
    ]
