"""Requests of erasure for the pages and the API, and what each would take."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from conversations.models import Customer, ErasureRequest, RedactionNotice, RedactionTarget

After = tuple[datetime, UUID]


def erasures(*, after: After | None = None, limit: int = 50) -> list[ErasureRequest]:
    """The tenant's requests, newest first."""
    rows = ErasureRequest.objects.select_related("asked_by__user", "approved_by__user")
    if after is not None:
        value, row_id = after
        rows = rows.filter(Q(created_at__lt=value) | Q(created_at=value, id__lt=row_id))
    return list(rows.order_by("-created_at", "-id")[:limit])


def open_erasures() -> list[ErasureRequest]:
    """What is not at its end, the most urgent first."""
    rows = ErasureRequest.objects.exclude(state__in=["certified", "refused"])
    return list(rows.order_by("due_at", "id")[:200])


def notices_of(request: ErasureRequest) -> list[RedactionNotice]:
    """What other systems were told of it."""
    rows = RedactionNotice.objects.filter(request=request).select_related("target")
    return list(rows.order_by("target__label", "id"))


def targets() -> list[RedactionTarget]:
    """The systems that are told, by name."""
    return list(RedactionTarget.objects.filter(active=True).order_by("label", "id"))


def subjects_of(requests: Iterable[ErasureRequest]) -> dict[UUID, Customer]:
    """Whom the requests are about, by request: those who are there and not hidden yet."""
    wanted = {one.subject_id: one.id for one in requests if one.subject_id and not one.hidden_at}
    return {wanted[one.id]: one for one in Customer.stored.filter(pk__in=list(wanted))}


def subject_of(request: ErasureRequest) -> Customer | None:
    """The person, while they are there."""
    if request.subject_id is None:
        return None
    return Customer.stored.filter(pk=request.subject_id).first()
