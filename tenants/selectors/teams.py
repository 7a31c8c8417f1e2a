"""Teams, invitations and keys, shaped for their screens."""

from typing import NamedTuple

from django.db import connection
from django.db.models import QuerySet, Value
from django.db.models.functions import Lower

from tenants.models import (
    IN_THE_TEAM,
    OPEN_VISIT,
    ApiKey,
    Invitation,
    Member,
    Role,
    StaffVisit,
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


def open_visits() -> QuerySet[StaffVisit]:
    """Who of the platform may read this tenant's conversations now, soonest over first."""
    return StaffVisit.objects.filter(OPEN_VISIT).select_related("user").order_by("until", "id")
