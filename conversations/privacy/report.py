"""What a scan says: for each store how much it read, its control, and the hits."""

from dataclasses import dataclass, field
from typing import Any

# 2 looks into bytes: files and their small pictures.
VERSION = "2"


@dataclass(slots=True)
class StoreScan:
    """One store. `control` says whether something known to be there was found by the same search.

    A store whose control was not found was not read, whatever its number of hits.
    """

    name: str
    read: int = 0
    control: bool = False
    hits: dict[str, int] = field(default_factory=dict)

    def hit(self, where: str, count: int = 1) -> None:
        if count:
            self.hits[where] = self.hits.get(where, 0) + count

    @property
    def count(self) -> int:
        return sum(self.hits.values())


@dataclass(frozen=True, slots=True)
class Report:
    """All stores of one scan."""

    stores: list[StoreScan]
    version: str = VERSION

    @property
    def hits(self) -> int:
        return sum(store.count for store in self.stores)

    @property
    def blind(self) -> list[str]:
        """The stores that the scanner could not read: it must not say that they are clean."""
        return [store.name for store in self.stores if not store.control]

    @property
    def clean(self) -> bool:
        return not self.hits and not self.blind

    def facts(self) -> dict[str, Any]:
        """For the request's page and the certificate: names of stores and numbers."""
        return {
            "version": self.version,
            "stores": {
                store.name: {"read": store.read, "control": store.control, "hits": store.hits}
                for store in self.stores
            },
        }
