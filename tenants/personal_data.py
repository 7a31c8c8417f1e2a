"""The inventory of personal data: every table says what it holds of people, and who erases it.

Each app says so for its tables in its `inventory.py`; the privacy desk and a test read it here.
"""

from dataclasses import dataclass

from django.db.models import Model

NOTHING = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """What one table holds of people, in words for a privacy officer."""

    model: type[Model]
    holds: str
    erased_by: str


class TwiceInInventory(Exception):
    """A table has one entry, in the app that owns it."""


_entries: dict[type[Model], Entry] = {}


def register(model: type[Model], *, holds: str, erased_by: str = "") -> None:
    """Says it. `erased_by` names the service or the key whose deletion takes the rows along."""
    if model in _entries:
        raise TwiceInInventory(model._meta.label)
    _entries[model] = Entry(model, holds, erased_by)


def inventory() -> list[Entry]:
    """All entries, by table."""
    return sorted(_entries.values(), key=lambda entry: entry.model._meta.label)
