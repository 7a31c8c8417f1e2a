"""Customers and their conversations: for themselves, and for members."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from conversations.models import Conversation, Customer, CustomerIdentity

After = tuple[datetime, UUID]


def conversations_of(
    customer: Customer, *, after: After | None = None, limit: int = 50
) -> list[Conversation]:
    """A customer's own conversations, newest words first."""
    rows = Conversation.objects.filter(customer=customer, last_message_at__isnull=False)
    if after is not None:
        rows = rows.filter(behind("last_message_at", after))
    return list(rows.order_by("-last_message_at", "-id")[:limit])


def customers(*, q: str = "", after: After | None = None, limit: int = 50) -> list[Customer]:
    """The tenant's customers, newest first; every word of `q` in name or address."""
    rows = Customer.objects.all()
    for word in q.split()[:8]:
        rows = rows.filter(Q(name__icontains=word) | Q(email__icontains=word))
    if after is not None:
        rows = rows.filter(behind("created_at", after))
    return list(rows.order_by("-created_at", "-id")[:limit])


def verified_ids(found: Collection[Customer]) -> set[UUID]:
    """Those of them for whom the tenant's own server has vouched, in one statement."""
    proofs = CustomerIdentity.objects.filter(customer__in=[customer.id for customer in found])
    return set(proofs.values_list("customer_id", flat=True))


def behind(column: str, place: After) -> Q:
    """The rows after a place, the newest first."""
    value, row_id = place
    return Q(**{f"{column}__lt": value}) | Q(**{column: value, "id__lt": row_id})
