"""Exports, for the privacy desk and for the customer who asked."""

from conversations.models import Customer, ExportRequest
from conversations.selectors.customers import After, behind
from tenants.models import Actor


def exports(*, after: After | None = None, limit: int = 50) -> list[ExportRequest]:
    """Newest first."""
    rows = ExportRequest.objects.select_related("customer")
    if after is not None:
        rows = rows.filter(behind("created_at", after))
    return list(rows.order_by("-created_at", "-id")[:limit])


def own_exports(customer: Customer) -> list[ExportRequest]:
    """What a customer has asked for, newest first; the last ten."""
    own = ExportRequest.objects.filter(customer=customer, by_kind=Actor.CUSTOMER)
    return list(own.order_by("-created_at", "-id")[:10])


def exports_of(customer: Customer) -> list[ExportRequest]:
    """All that were made of a customer, newest first, for the customer's page."""
    rows = ExportRequest.objects.filter(customer=customer)
    return list(rows.order_by("-created_at", "-id")[:20])


def waiting_exports() -> list[ExportRequest]:
    """What is under way or can be fetched, soonest end first."""
    states = [
        ExportRequest.State.QUEUED,
        ExportRequest.State.BUILDING,
        ExportRequest.State.READY,
    ]
    rows = ExportRequest.objects.filter(state__in=states).select_related("customer")
    return list(rows.order_by("expires_at")[:50])
