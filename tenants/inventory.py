"""What this app's tables, and Django's own, hold of people."""

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session

from tenants.models import (
    ApiKey,
    AuditEntry,
    AuditKey,
    AuditLink,
    DueWork,
    Invitation,
    Member,
    StaffVisit,
    Tenant,
    User,
    WidgetKey,
)
from tenants.personal_data import NOTHING, register

register(Tenant, holds=NOTHING)
register(DueWork, holds=NOTHING)
register(WidgetKey, holds=NOTHING)
register(
    User,
    holds="Address, name and password hash of people who sign in.",
    erased_by="tenants.services.members.remove ends a place; platform staff delete the account",
)
register(
    Member,
    holds="That a person is in a team, and as what.",
    erased_by="deletion of the user or the tenant, by key",
)
register(
    Invitation,
    holds="The address of somebody who was asked into a team.",
    erased_by="tenants.services.invitations.take_back; retention of logs; deletion of the tenant",
)
register(
    ApiKey,
    holds="For whom a key acts, and when it was last used.",
    erased_by="deletion of the member, by key",
)
register(
    AuditEntry,
    holds="Ids of people, as pseudonyms; no names, addresses or words.",
    erased_by="kept as the record; deletion of the tenant, by key",
)
register(
    StaffVisit,
    holds="Which operator of the platform entered, and why.",
    erased_by="deletion of the tenant or of the operator's account, by key",
)
register(AuditKey, holds=NOTHING)
register(AuditLink, holds=NOTHING)
register(
    Session,
    holds="Who is signed in, and in which tenant.",
    erased_by="signing out; the sweep, when it has ended",
)
register(
    LogEntry,
    holds="What platform staff did in the back office, with the names of rows.",
    erased_by="deletion of the staff user, by key",
)
register(Group, holds=NOTHING)
register(Permission, holds=NOTHING)
register(ContentType, holds=NOTHING)
