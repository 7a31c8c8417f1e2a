"""Customers and their conversations: for themselves, and for members."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import Q

from conversations.models import Conversation, Customer, CustomerIdentity, CustomerMerge
from conversations.selectors.inbox import visible_to
from tenants.models import Member

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
    rows = Customer.objects.filter(merged_into__isnull=True)
    for word in q.split()[:8]:
        rows = rows.filter(Q(name__icontains=word) | Q(email__icontains=word))
    if after is not None:
        rows = rows.filter(behind("created_at", after))
    return list(rows.order_by("-created_at", "-id")[:limit])


class CustomersPage(NamedTuple):
    """Some customers, newest first, and the one after which older ones follow, if any do."""

    rows: list[Customer]
    next: UUID | None


def page_of(*, q: str = "", before: UUID | None = None, limit: int = 50) -> CustomersPage:
    """A page of the customers; `before` is the last one of the page before."""
    last = Customer.objects.filter(pk=before).first() if before else None
    after = (last.created_at, last.id) if last else None
    found = customers(q=q, after=after, limit=limit + 1)
    return CustomersPage(found[:limit], found[limit - 1].id if len(found) > limit else None)


def talks_of(member: Member, customer: Customer) -> list[Conversation]:
    """The customer's conversations that the member may read, newest words first."""
    rows = visible_to(member).filter(customer=customer)
    return list(rows.order_by("-last_message_at", "-id")[:200])


def merges_of(customer: Customer) -> list[CustomerMerge]:
    """What was merged into the customer or split off, newest first."""
    rows = CustomerMerge.objects.filter(Q(target=customer) | Q(source=customer))
    return list(rows.select_related("source", "by__user").order_by("-created_at", "-id")[:50])


def verified_ids(found: Collection[Customer]) -> set[UUID]:
    """Those of them for whom the tenant's own server has vouched, in one statement."""
    proofs = CustomerIdentity.objects.filter(customer__in=[customer.id for customer in found])
    return set(proofs.values_list("customer_id", flat=True))


def behind(column: str, place: After) -> Q:
    """The rows after a place, the newest first."""
    value, row_id = place
    return Q(**{f"{column}__lt": value}) | Q(**{column: value, "id__lt": row_id})
