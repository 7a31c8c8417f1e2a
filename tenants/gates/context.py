"""What the templates of a page behind the members' gate may use."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from tenants.gates.rail import RAIL
from tenants.permissions import Permission, may
from tenants.selectors.teams import tenants_of_user


def member_page(request: HttpRequest) -> dict[str, Any]:
    """`tenant`, `member`, `can` (permission → bool), `rail`, and `tenants`, read when shown."""
    member = getattr(request, "member", None)
    if member is None:
        return {}
    can = {permission.value: may(member, permission) for permission in Permission}
    return {
        "tenant": getattr(request, "tenant", None),
        "member": member,
        "can": can,
        "rail": [link for link in RAIL if can[link.permission]],
        "tenants": SimpleLazyObject(lambda: tenants_of_user(member.user)),
    }
