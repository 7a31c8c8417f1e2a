"""The first moment of an erasure: from here on nobody reads anything of the person.

One transaction: tokens refused, proofs of identity gone, running turns cancelled and fenced, all of
it out of every list, page, search, stream and model context.
"""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from django.db.models import Q
from django.db.models.functions import Now

from conversations import live
from conversations.hooks import conversations_hidden
from conversations.models import Conversation, Customer, CustomerIdentity, WidgetToken
from conversations.selectors.holds import held
from conversations.services.exports import end_for_erasure

# So many rows are loaded at a time.
_PIECE = 500


class Hidden(NamedTuple):
    """What was hidden: the conversations, and whether that is all there is of the person."""

    talks: list[UUID]
    whole: bool
    identities: int


def hide(customer_id: UUID) -> Hidden:
    """Hides the person and all their conversations that no hold keeps. Idempotent.

    The customer's lock comes first, as in every first post: no conversation begins meanwhile.
    """
    Customer.stored.select_for_update().filter(pk=customer_id).first()
    WidgetToken.objects.filter(customer=customer_id, revoked_at__isnull=True).update(
        revoked_at=Now()
    )
    free, kept = _lock(customer_id)
    for start in range(0, len(free), _PIECE):
        _hide(free[start : start + _PIECE])
    if kept:
        return Hidden(free, whole=False, identities=0)
    # Whoever signs in anew is a new customer, not the one that is going.
    gone, _ = CustomerIdentity.objects.filter(customer=customer_id).delete()
    # Those who were merged into them go with them, by key.
    person = Customer.stored.filter(Q(pk=customer_id) | Q(merged_into=customer_id))
    person.filter(erased_at__isnull=True).update(erased_at=Now())
    end_for_erasure(customer_id)
    return Hidden(free, whole=True, identities=gone)


def show(customer_id: UUID, talks: Sequence[UUID]) -> None:
    """A hold was placed meanwhile, and it beats the erasure: these come to light again."""
    Conversation.stored.filter(pk__in=talks).update(erased_at=None)
    person = Customer.stored.filter(Q(pk=customer_id) | Q(merged_into=customer_id))
    person.update(erased_at=None)


def _lock(customer_id: UUID) -> tuple[list[UUID], list[UUID]]:
    """Those that may go, and those under a hold: asked after the lock, so that none is missed."""
    rows = Conversation.stored.filter(customer=customer_id).order_by("pk").select_for_update()
    ids = list(rows.values_list("pk", flat=True))
    kept = held(ids)
    return [one for one in ids if one not in kept], sorted(kept)


def _hide(ids: Sequence[UUID]) -> None:
    hidden = Conversation.stored.filter(pk__in=ids, erased_at__isnull=True)
    fresh = list(hidden.select_related("tenant"))
    hidden.update(erased_at=Now())
    if fresh:
        conversations_hidden.send(Conversation, conversations=fresh)
    for row in fresh:
        live.ring(row.id, "erased", "state")
