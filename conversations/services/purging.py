"""Deleting for good, in batches: the one way in which erasure and retention take rows away.

Every batch locks the conversations first. A legal hold takes the same lock as it is placed, so
whichever commits first is seen by the other; the trigger of the database stands behind both.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db import transaction

from conversations.models import Conversation, Customer
from conversations.selectors.holds import held, holds_over
from tenants.personal_data import Rank, Store, Whose, stores

BATCH = 1000
# So many conversations are locked at a time: what waits for them waits for one batch.
_TALKS = 200


@dataclass(frozen=True, slots=True)
class Purged:
    """What one batch took, by store. `finished`: nothing is left but what is under legal hold."""

    counts: dict[str, int] = field(default_factory=dict)
    finished: bool = True
    held: tuple[UUID, ...] = ()

    @property
    def rows(self) -> int:
        return sum(self.counts.values())


@transaction.atomic
def purge_conversations(ids: Sequence[UUID], *, budget: int = BATCH) -> Purged:
    """Take away at most `budget` rows of these conversations, the conversations themselves last.

    Idempotent, and resumed by calling it again. Usage stays as counts that belong to nobody. What
    lies outside of the database is not touched.
    """
    taken: Counter[str] = Counter()
    held: list[UUID] = []
    for start in range(0, len(ids), _TALKS):
        free, kept = _lock(ids[start : start + _TALKS])
        held += kept
        if not _empty(Whose(free), _of_talks(), taken, budget=budget):
            return Purged(dict(taken), finished=False, held=tuple(held))
    return Purged(dict(taken), finished=True, held=tuple(held))


@transaction.atomic
def purge_customer(customer_id: UUID, *, budget: int = BATCH, copies: bool = True) -> Purged:
    """Take away what hangs on the person and, last, the person.

    An erasure takes `copies` of the whole tenant along; who was only idle leaves them to their end.

    Their conversations go before, by `purge_conversations`: while one is left, or anything of
    theirs is under hold, nothing is done and it is not finished.
    """
    list(Customer.stored.select_for_update().filter(pk=customer_id).values_list("pk", flat=True))
    left = Conversation.stored.filter(customer=customer_id).exists()
    if left or holds_over(customer=customer_id):
        return Purged(finished=False)
    taken: Counter[str] = Counter()
    persons = [store for store in stores(outside=False) if store.rank > Rank.TALK]
    whose = Whose(customer=customer_id, copies=copies)
    done = _empty(whose, persons, taken, budget=budget)
    return Purged(dict(taken), finished=done)


def counts_for(
    *, customer_id: UUID | None = None, conversation_ids: Sequence[UUID] = ()
) -> dict[str, int]:
    """How much lies in each store, for a preview; with a customer, all of theirs too."""
    ids = list(conversation_ids)
    if customer_id is not None:
        theirs = Conversation.stored.filter(customer=customer_id)
        ids = list({*ids, *theirs.values_list("pk", flat=True)})
    whose = Whose(ids, customer_id)
    return {store.name: store.counts(whose) for store in stores()}


def _lock(ids: Sequence[UUID]) -> tuple[list[UUID], list[UUID]]:
    """Those that may go, and those under hold: asked after the lock, so that no hold is missed."""
    rows = Conversation.stored.filter(pk__in=ids).order_by("pk").select_for_update()
    found = list(rows.values_list("pk", flat=True))
    kept = held(found)
    return [pk for pk in found if pk not in kept], sorted(kept)


def _of_talks() -> list[Store]:
    return [store for store in stores(outside=False) if store.rank <= Rank.TALK]


def _empty(whose: Whose, among: Sequence[Store], taken: Counter[str], *, budget: int) -> bool:
    """Whether all of them are empty before the budget is spent; `taken` counts over all calls."""
    for store in among:
        left = budget - taken.total()
        if left <= 0:
            return False
        if gone := store.purges(whose, left):
            taken[store.name] += gone
    return taken.total() < budget
