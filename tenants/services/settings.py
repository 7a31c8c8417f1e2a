"""What customers and the desk know of a tenant."""

from typing import Any

from django.db import transaction

from tenants.models import Member, Tenant
from tenants.services import audit

# What a member may change on the settings page.
FIELDS = ("name", "agent_name", "greeting", "hours", "locale", "time_zone", "colour", "agent_mode",
          "link_hosts", "approval_limit", "approval_hours")  # fmt: skip


@transaction.atomic
def change_settings(tenant: Tenant, *, by: Member, **values: Any) -> Tenant:
    """Store what has changed; the audit names the fields and not their words."""
    row = Tenant.objects.select_for_update(no_key=True).get(pk=tenant.pk)
    changed = [name for name in FIELDS if name in values and getattr(row, name) != values[name]]
    if not changed:
        return row
    for name in changed:
        setattr(row, name, values[name])
    row.save(update_fields=changed)
    audit.record("tenant.settings_changed", by=by, target=row, detail={"fields": changed})
    return row
