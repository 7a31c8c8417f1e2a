"""The last part of a round: people who were idle for too long, after all their conversations."""

from uuid import UUID

from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from conversations.models import Conversation, Customer
from conversations.selectors.tombstones import erased_among
from conversations.services.purging import purge_customer
from conversations.services.reckoning import BEGUN, reckon_people
from conversations.services.retention_reports import report
from conversations.services.retention_weighing import without_waiting
from conversations.services.tombstones import erase_again

_PEOPLE, _ROWS = 100, 5000


def take_people() -> bool:
    """The next ones, with proofs and sessions; False when nobody is left to go."""
    ids = _locked()
    if not ids:
        return False
    # Somebody who was erased and came back with a backup is erased, with proof, and not tidied up.
    erase_again(Customer.stored.filter(pk__in=erased_among(ids)))
    reckon_people(ids)
    ended = without_waiting(Customer.stored.filter(pk__in=ids, expires_at__lte=Now()))
    for pk, policy_id in list(ended.values_list("pk", "expires_by")):
        purged = purge_customer(pk, budget=_ROWS, copies=False)
        if not purged.finished:
            # Half gone is never seen again, whatever becomes of the policy.
            Customer.stored.filter(pk=pk).update(expires_at=BEGUN)
        report(policy_id, purged.counts)
    return True


def _locked() -> list[UUID]:
    """Whose talks are gone. Somebody who writes just now is locked, and comes another time."""
    talks = Conversation.raw.filter(tenant=OuterRef("tenant"), customer=OuterRef("pk"))
    ended = without_waiting(Customer.stored.filter(~Exists(talks), expires_at__lte=Now()))
    locked = ended.order_by("expires_at").select_for_update(skip_locked=True, of=("self",))
    return list(locked.values_list("pk", flat=True)[:_PEOPLE])
