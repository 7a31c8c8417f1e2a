"""The audit record, shaped for its page, its export and the API."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import Q, QuerySet

from tenants.models import AuditEntry, AuditLink, Member


class Wanted(NamedTuple):
    """Which entries to show. What is empty narrows nothing."""

    action: str = ""
    kind: str = ""
    actor: UUID | None = None
    # The ids that one subject goes by: its own and its pseudonym.
    about: tuple[UUID, ...] = ()
    since: datetime | None = None
    until: datetime | None = None


Spot = tuple[datetime, UUID]  # where a page ended


def entries(wanted: Wanted, *, after: Spot | None = None) -> QuerySet[AuditEntry]:
    """Of the open scope's tenant, newest first; `after` continues where a page ended."""
    narrowed: dict[str, Any] = {
        "action": wanted.action,
        "actor_kind": wanted.kind,
        "actor_id": wanted.actor,
        "target_id__in": wanted.about,
        "created_at__gte": wanted.since,
        "created_at__lt": wanted.until,
    }
    found = AuditEntry.objects.filter(**{name: value for name, value in narrowed.items() if value})
    if after is not None:
        at, entry_id = after
        # The first half stands alone, so that the index begins at the spot.
        older = Q(created_at__lt=at) | Q(created_at=at, id__lt=entry_id)
        found = found.filter(created_at__lte=at).filter(older)
    return found.order_by("-created_at", "-id")


def spot_of(entry_id: UUID) -> Spot | None:
    """Where this entry stands; None if there is none."""
    return AuditEntry.objects.filter(id=entry_id).values_list("created_at", "id").first()


def actions() -> list[str]:
    """Every kind of act that stands in the record."""
    return list(AuditEntry.objects.order_by("action").values_list("action", flat=True).distinct())


def links_of(found: Iterable[AuditEntry]) -> dict[UUID, AuditLink]:
    """The link of each entry in the chain, by its id."""
    return AuditLink.objects.in_bulk([entry.id for entry in found])


def names_of(found: Iterable[AuditEntry]) -> dict[UUID, str]:
    """Names of the teammates who acted or were acted on, by id; of those too who left."""
    ids = {wanted for entry in found for wanted in (entry.actor_id, entry.target_id) if wanted}
    members = Member.objects.filter(id__in=ids).select_related("user")
    return {member.id: member.name for member in members}


def last_acts(action: str, *, about: UUID) -> list[AuditEntry]:
    """The last twenty acts of one kind on one row, newest first."""
    found = AuditEntry.objects.filter(action=action, target_id=about)
    return list(found.order_by("-created_at", "-id")[:20])


class PlatformAct(NamedTuple):
    """A line of the record that belongs to no tenant."""

    at: datetime
    actor_kind: str
    actor_id: UUID | None
    action: str
    target_kind: str
    target_id: UUID | None
    detail: Any


def platform_acts(limit: int = 200) -> list[PlatformAct]:
    """Sign-ins and acts of staff, newest first, through the one function that may read them."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM platform_acts(%s)", [limit])
        return [PlatformAct(*row) for row in cursor.fetchall()]
