"""What leaves with an export of a whole tenant, and how it arrives in an empty one.

Each app says so for its tables in its `portability.py`. Secrets never leave: keys, hashes of tokens
and whatever is sealed for this installation are named here and left out.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.db.models import Model, QuerySet

from tenants.scoping import TenantScopedModel

Values = dict[str, Any]


@dataclass
class Ids:
    """The new ids of old rows: the same for the same row however often an import is begun.

    An id is one in the whole database, so rows that arrive cannot keep theirs beside the tenant
    that they came from. The new one keeps the moment that orders it.
    """

    tenant: UUID
    known: dict[UUID, UUID] = field(default_factory=dict)

    def new(self, old: UUID) -> UUID:
        if old in self.known:
            return self.known[old]
        made = bytearray(sha256(self.tenant.bytes + old.bytes).digest()[:16])
        made[:6] = old.bytes[:6]
        made[6] = (old.bytes[6] & 0xF0) | (made[6] & 0x0F)
        made[8] = (made[8] & 0x3F) | 0x80
        return UUID(bytes=bytes(made))

    def same(self, old: UUID, here: UUID) -> None:
        """That row is this one, which was here before."""
        self.known[old] = here


@dataclass(frozen=True, slots=True)
class Portable:
    """How the rows of one table travel."""

    model: type[TenantScopedModel]
    # From a row to its conversation: rows of one conversation are read in one moment.
    within: str = ""
    # Fields that stay behind: secrets, and what is made anew on arrival.
    without: frozenset[str] = frozenset()
    # JSON fields in which ids of the desk's own rows stand.
    ids_in: frozenset[str] = frozenset()
    # UUID fields that are nobody's id here.
    not_ids: frozenset[str] = frozenset()
    # A record of the installation that it was made by: it leaves and does not arrive.
    arrives: bool = True
    # Of all rows: those whose parents leave. What is hidden stays, and so does what hangs on it.
    of: Callable[["QuerySet[Any]"], "QuerySet[Any]"] | None = None
    # What `departing` reads beside the row itself.
    related: tuple[str, ...] = ()
    departing: Callable[[Any], Values] | None = None
    # What must change on arrival; None drops the row. It may note rows that are here already.
    arriving: Callable[[Values, Ids], Values | None] | None = None
    arrived: Callable[[Any], None] | None = None

    @property
    def name(self) -> str:
        return self.model._meta.label


class TwiceSaid(Exception):
    """A table travels or stays; its app says which, once."""


_portable: dict[type[Model], Portable] = {}
_staying: dict[type[Model], str] = {}


def travels(
    model: type[TenantScopedModel],
    *,
    without: Collection[str] = (),
    ids_in: Collection[str] = (),
    not_ids: Collection[str] = (),
    **how: Any,
) -> None:
    """Rows of this table leave with an export."""
    _refuse_twice(model)
    _portable[model] = Portable(
        model,
        without=frozenset(without),
        ids_in=frozenset(ids_in),
        not_ids=frozenset(not_ids),
        **how,
    )


def stays(model: type[TenantScopedModel], why: str) -> None:
    """Rows of this table never leave; the export's manifest says why."""
    _refuse_twice(model)
    _staying[model] = why


def _refuse_twice(model: type[Model]) -> None:
    if model in _portable or model in _staying:
        raise TwiceSaid(model._meta.label)


def portables() -> list[Portable]:
    """By table."""
    return sorted(_portable.values(), key=lambda one: one.name)


def staying() -> dict[str, str]:
    """Why, by table."""
    return {model._meta.label: why for model, why in sorted(_staying.items(), key=_label)}


def _label(item: tuple[type[Model], str]) -> str:
    return item[0]._meta.label
