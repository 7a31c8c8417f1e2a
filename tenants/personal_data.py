"""The inventory of personal data: what every table holds of people, and how it is emptied.

Each app says so for its tables in its `inventory.py` and registers its stores; the privacy desk
and a test read both here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple
from uuid import UUID

from django.db.models import Model

NOTHING = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """What one table holds of people, in words for a privacy officer."""

    model: type[Model]
    title: str
    holds: str
    erased_by: str


class TwiceInInventory(Exception):
    """A table has one entry, in the app that owns it."""


_entries: dict[type[Model], Entry] = {}


def register(model: type[Model], *, title: str = "", holds: str, erased_by: str = "") -> None:
    """Says it: what people call the table, what it holds, and who takes the rows away, and when.

    All three are read by officers and regulators: no names of code in them.
    """
    if model in _entries:
        raise TwiceInInventory(model._meta.label)
    _entries[model] = Entry(model, title, holds, erased_by)


def inventory() -> list[Entry]:
    """All entries, by table."""
    return sorted(_entries.values(), key=lambda entry: entry.model._meta.label)


class Rank(IntEnum):
    """Children go before parents, so that no key in the database has a row left to look for."""

    LEAF = 1  # hangs on a branch: tool calls of a turn
    BRANCH = 2  # hangs on a conversation
    TALK = 3  # the conversations themselves
    PERSON_BRANCH = 4  # hangs on a customer
    PERSON = 5  # the customer


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose data is meant: these conversations, and with `customer` what hangs on the person.

    Without `copies` of the whole tenant, which hold the person too, until they end by themselves.
    """

    conversations: Sequence[UUID] = ()
    customer: UUID | None = None
    copies: bool = True


@dataclass(frozen=True, slots=True)
class Store:
    """One place where personal data lies, a table or not.

    `counts` says how much of it there is; `purges` takes away at most so many pieces and says how
    many it took: fewer than it might have means that nothing is left. Both are idempotent. What
    lies `outside` the database (keys, files, queues) does not take part in its transactions.
    What people call it: `named`.
    """

    name: str
    counts: Callable[[Whose], int]
    purges: Callable[[Whose, int], int]
    rank: Rank
    outside: bool
    table: type[Model] | None


_stores: dict[str, Store] = {}


def register_store(
    name: str,
    *,
    counts: Callable[[Whose], int],
    purges: Callable[[Whose, int], int],
    rank: Rank = Rank.BRANCH,
    outside: bool = False,
    table: type[Model] | None = None,
) -> None:
    """Each app names each of its stores, where it connects its receivers."""
    if name in _stores:
        raise TwiceInInventory(name)
    _stores[name] = Store(name, counts, purges, rank, outside, table)


def stores(*, outside: bool | None = None) -> list[Store]:
    """All stores in the order in which they are to be emptied."""
    found = [store for store in _stores.values() if outside in (None, store.outside)]
    return sorted(found, key=lambda store: store.rank)


class Named(NamedTuple):
    """A place where data lies: what people call it, and its own name, for proof."""

    title: str
    code: str


_titles: dict[str, str] = {}


def register_title(code: str, title: str) -> None:
    """What people call a store that is no table or only some rows of one, or another place."""
    if code in _titles:
        raise TwiceInInventory(code)
    _titles[code] = title


def named(code: str) -> Named:
    """Of a store, a table (by its name in the database or its label) or another known place.

    A code from a time that knew more of them is shown as it is.
    """
    store = _stores.get(code)
    table = store.table if store else None
    for model, entry in _entries.items():
        if model is table or code in (model._meta.db_table, model._meta.label):
            return Named(_titles.get(code, entry.title) or plain(code), model._meta.db_table)
    return Named(_titles.get(code) or plain(code), code)


def plain(code: str) -> str:
    """A code as words."""
    words = code.replace("_", " ").replace(".", " ")
    return words[:1].upper() + words[1:]
