"""The record of processing: why the desk keeps what, who erases it, and for how long.

Tables come from the inventory of personal data; places that are no tables (files, keys, logs, what
waits in queues) are named here by the app that writes them. Each app does so in `activities.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import NamedTuple

from django.db.models import Model

from tenants.personal_data import NOTHING, inventory, named


class Medium(StrEnum):
    """What kind of place it is."""

    TABLE = "Table"
    KEY = "Key in Redis"
    CHANNEL = "Channel in Redis"
    FILE = "File"
    LOG = "Log"
    BROWSER = "Browser"


@dataclass(frozen=True, slots=True)
class Activity:
    """Something that is done with people's data, and why."""

    name: str
    why: str
    whose: str
    kept: str
    app: str
    # Of the app's tables: these. The activity without any takes the rest.
    tables: tuple[type[Model], ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where data lies outside the tables."""

    name: str
    medium: Medium
    # Of keys, channels and files: how they are named, with `*`.
    patterns: tuple[str, ...]
    activity: str
    holds: str
    erased_by: str
    kept: str


class Line(NamedTuple):
    """One line of the record."""

    place: str
    medium: Medium
    holds: str
    erased_by: str
    kept: str
    # Its own name, for whoever checks: of a table, or how keys and files are named.
    code: str


class Unsaid(Exception):
    """Something holds personal data and nobody said why, or it was said twice."""


_activities: list[Activity] = []
_places: list[Place] = []


def register_activity(
    name: str, *, app: str, why: str, whose: str, kept: str, tables: Sequence[type[Model]] = ()
) -> str:
    """Says why the app keeps these tables, or all that no other activity of it names."""
    if any(one.name == name for one in _activities):
        raise Unsaid(f"{name} is registered twice.")
    _activities.append(Activity(name, why, whose, kept, app, tuple(tables)))
    return name


def register_place(place: Place) -> None:
    """Names a place that is no table."""
    if any(one.name == place.name for one in _places):
        raise Unsaid(f"{place.name} is registered twice.")
    _places.append(place)


def places(*media: Medium) -> list[Place]:
    return [place for place in _places if place.medium in media]


def place_of(medium: Medium, name: str) -> Place | None:
    """The registered place of a key, channel or file of this name."""
    return next((one for one in places(medium) if _names(one, name)), None)


def _names(place: Place, name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in place.patterns)


def activity_of(model: type[Model]) -> Activity | None:
    """Why this table is kept; None when nobody said."""
    named = [one for one in _activities if model in one.tables]
    rest = [one for one in _activities if not one.tables and one.app == model._meta.app_label]
    return next(iter([*named, *rest]), None)


def _line(place: Place) -> Line:
    code = ", ".join(place.patterns)
    return Line(place.name, place.medium, place.holds, place.erased_by, place.kept, code)


def record_of_processing() -> list[tuple[Activity, list[Line]]]:
    """By activity: each table and place that holds something of people. Raises `Unsaid`."""
    lines: dict[str, list[Line]] = {one.name: [] for one in _activities}
    for entry in inventory():
        if entry.holds == NOTHING:
            continue
        activity = activity_of(entry.model)
        if activity is None:
            raise Unsaid(f"Say in its app's activities.py why {entry.model._meta.label} is kept.")
        title, code = named(entry.model._meta.label)
        line = Line(title, Medium.TABLE, entry.holds, entry.erased_by, activity.kept, code)
        lines[activity.name].append(line)
    for place in _places:
        lines[place.activity].append(_line(place))
    return [(one, lines[one.name]) for one in _activities if lines[one.name]]
