"""Reads of this app, shaped for their screens."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Lower

from tenants.models import (
    IN_THE_TEAM,
    ApiKey,
    AuditEntry,
    Invitation,
    Member,
    Role,
    User,
    WidgetKey,
)


class TenantOfUser(NamedTuple):
    """A tenant in which the user is a member, and as what."""

    slug: str
    name: str
    role: str

    @property
    def role_label(self) -> str:
        return Role(self.role).label


def tenants_of_user(user: User) -> list[TenantOfUser]:
    """By name. The one read across tenants that a request makes: a function of the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT slug, name, role FROM tenants_of_user(%s)", [user.id])
        return [TenantOfUser(*row) for row in cursor.fetchall()]


def has_account(email: str) -> bool:
    """Asked only about the address of an invitation whose token was shown."""
    return User.objects.alias(lower=Lower("email")).filter(lower=Lower(Value(email))).exists()


def teammates() -> QuerySet[Member]:
    return Member.objects.filter(IN_THE_TEAM).select_related("user").order_by("user__name", "id")


def open_invitations() -> QuerySet[Invitation]:
    """Not accepted yet; the expired ones too, so that they can be sent anew or taken back."""
    return Invitation.objects.filter(accepted_at__isnull=True).order_by("-created_at")


def widget_keys() -> QuerySet[WidgetKey]:
    return WidgetKey.objects.order_by("label", "id")


def api_keys() -> QuerySet[ApiKey]:
    return (
        ApiKey.objects.filter(revoked_at__isnull=True)
        .select_related("member__user")
        .order_by("-created_at")
    )


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


class AuditPage(NamedTuple):
    """Some entries, newest first, and the entry after which older ones follow, if any do."""

    entries: list[AuditEntry]
    next: UUID | None


def audit_page(
    *,
    action: str = "",
    actor: UUID | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    before: UUID | None = None,
    limit: int = 50,
) -> AuditPage:
    """Entries of the open scope's tenant by keyset; `before` is the last one of the page before."""
    wanted: dict[str, Any] = {
        "action": action or None,
        "actor_id": actor,
        "created_at__gte": since,
        "created_at__lt": until,
    }
    entries = AuditEntry.objects.filter(**{k: v for k, v in wanted.items() if v is not None})
    last = AuditEntry.objects.filter(id=before).first() if before else None
    if last is not None:
        older = Q(created_at__lt=last.created_at) | Q(created_at=last.created_at, id__lt=last.id)
        entries = entries.filter(older)
    found = list(entries.order_by("-created_at", "-id")[: limit + 1])
    return AuditPage(found[:limit], found[limit - 1].id if len(found) > limit else None)
