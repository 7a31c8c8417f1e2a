"""The life of a tenant."""

from typing import Any

from django.db import transaction

from tenants.errors import Conflict
from tenants.models import Actor, Tenant, User
from tenants.services import audit


class SlugTaken(Conflict):
    """Another tenant answers to this slug."""

    code = "slug_taken"
    title = "This address is taken"
    detail = "Choose another short name; this one belongs to another workspace."


@transaction.atomic
def create_tenant(*, slug: str, name: str, by: User | None = None, **settings: Any) -> Tenant:
    """A tenant without members yet; `settings` are further fields of the model.

    Give it an owner inside its scope: `members.create_member(user, role=Role.OWNER, …)`.
    """
    if Tenant.objects.filter(slug=slug).exists():
        raise SlugTaken
    tenant = Tenant.objects.create(slug=slug, name=name, **settings)
    audit.record_for_platform(
        "tenant.created", by=by, kind=Actor.STAFF if by else Actor.SYSTEM, target=tenant
    )
    return tenant


@transaction.atomic
def set_status(tenant: Tenant, *, status: str, by: User) -> None:
    """Platform staff suspend, close or reopen a tenant; its members are refused from now on."""
    before = tenant.status
    tenant.status = status
    tenant.save(update_fields=["status"])
    detail = {"from": before, "to": status}
    audit.record_for_platform("tenant.status_changed", by=by, target=tenant, detail=detail)
