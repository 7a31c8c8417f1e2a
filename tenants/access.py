"""The only way from an outside id, slug or token to a row of this app.

Absent, foreign and forbidden rows raise the same error. All but `tenant_by_slug` want the
tenant's scope to be open.
"""

from typing import TypeVar
from uuid import UUID

from django.db import models
from django.db.models.functions import Now

from tenants.crypto import API_KEY, INVITATION, WIDGET_KEY, hash_token, parse_token
from tenants.errors import NotFound, Unauthenticated
from tenants.models import (
    IN_THE_TEAM,
    OPEN_VISIT,
    ApiKey,
    Invitation,
    Member,
    StaffVisit,
    Tenant,
    User,
    WidgetKey,
)
from tenants.scoping import TenantScopedModel, current_tenant_id

_Row = TypeVar("_Row", bound=TenantScopedModel)


def tenant_by_slug(slug: str) -> Tenant:
    """For members only, who are asked for their membership next; a deleted tenant is gone."""
    tenant = Tenant.objects.filter(slug=slug).exclude(status=Tenant.Status.ENDED).first()
    if tenant is None:
        raise NotFound
    return tenant


def member_of(user: User, tenant: Tenant) -> Member:
    """The user's active place in the tenant."""
    return _only(
        Member.objects.filter(IN_THE_TEAM, tenant=tenant, user=user).select_related("user")
    )


def member_by_id(member_id: UUID) -> Member:
    """An active teammate, for a member who may manage members."""
    return _only(Member.objects.filter(IN_THE_TEAM, id=member_id).select_related("user"))


def invitation_by_id(invitation_id: UUID) -> Invitation:
    """An invitation that nobody has accepted yet, for a member who may manage members."""
    return _only(Invitation.objects.filter(id=invitation_id, accepted_at__isnull=True))


def visit_of(user: User) -> StaffVisit:
    """The operator's visit that is open in this tenant now."""
    return _only(StaffVisit.objects.filter(OPEN_VISIT, user=user))


def visit_by_id(visit_id: UUID) -> StaffVisit:
    """A visit of platform staff, for a member who may end it."""
    return _only(StaffVisit.objects.filter(id=visit_id))


def open_invitation(token: str) -> Invitation:
    """The invitation whose mailed token this is, unless it has expired or is used up."""
    _refuse_foreign(token, INVITATION, NotFound)
    return _only(
        Invitation.objects.filter(
            token_hash=hash_token(token), accepted_at__isnull=True, expires_at__gt=Now()
        )
    )


def api_key_by_id(key_id: UUID) -> ApiKey:
    """A key in use, for a member who may manage keys."""
    return _only(ApiKey.objects.filter(id=key_id, revoked_at__isnull=True))


def member_for_api_key(token: str) -> Member:
    """Whom the key acts for; raises Unauthenticated for every reason why it does not hold."""
    return api_key_by_token(token).member


def api_key_by_token(token: str) -> ApiKey:
    """The key in use, with its member; raises Unauthenticated otherwise."""
    _refuse_foreign(token, API_KEY, Unauthenticated)
    key = (
        ApiKey.objects.filter(
            secret_hash=hash_token(token),
            revoked_at__isnull=True,
            member__active=True,
            member__user__is_active=True,
            tenant__status=Tenant.Status.ACTIVE,
        )
        .select_related("member__user", "member__tenant")
        .first()
    )
    if key is None:
        raise Unauthenticated
    return key


def tenant_is_open() -> bool:
    """Whether customers are let in; an unknown tenant is nobody's to ask about."""
    closed = (Tenant.Status.SUSPENDED, Tenant.Status.CLOSED)
    return not Tenant.objects.filter(pk=current_tenant_id(), status__in=closed).exists()


def widget_key(key: str) -> WidgetKey:
    """The active widget key of an active tenant."""
    _refuse_foreign(key, WIDGET_KEY, NotFound)
    return _only(
        WidgetKey.objects.select_related("tenant").filter(
            key=key, active=True, tenant__status=Tenant.Status.ACTIVE
        )
    )


def widget_key_by_id(key_id: UUID) -> WidgetKey:
    """Any widget key, switched off or not, for a member who may manage keys."""
    return _only(WidgetKey.objects.filter(id=key_id))


def _refuse_foreign(token: str, prefix: str, error: type[NotFound | Unauthenticated]) -> None:
    if parse_token(token, prefix) != current_tenant_id():
        raise error


def _only(rows: "models.QuerySet[_Row]") -> _Row:
    row = rows.first()
    if row is None:
        raise NotFound
    return row
