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

register(Tenant, title="The workspace", holds=NOTHING)
register(DueWork, title="Timers and work that is due", holds=NOTHING)
register(WidgetKey, title="Keys of the chat", holds=NOTHING)
register(
    User,
    title="Accounts of teammates",
    holds="Address, name and password hash of people who sign in.",
    erased_by="An owner or admin ends the place; the platform's staff delete the account.",
)
register(
    Member,
    title="Places in the team",
    holds="That a person is in a team, and as what.",
    erased_by="An owner or admin, on the team's page; with the account or the workspace.",
)
register(
    Invitation,
    title="Invitations",
    holds="The address of somebody who was asked into a team.",
    erased_by="An owner or admin takes it back; ended after 7 days. Retention of logs.",
)
register(
    ApiKey,
    title="API keys",
    holds="For whom a key acts, and when it was last used.",
    erased_by="Revoked by whoever may manage keys; deleted with the teammate's place.",
)
register(
    AuditEntry,
    title="Entries of the audit record",
    holds="Ids of people, as pseudonyms; no names, addresses or words.",
    erased_by="Nobody: it is proof. With the workspace, the key to its pseudonyms is destroyed.",
)
register(
    StaffVisit,
    title="Visits of the platform's staff",
    holds="Which of the platform's staff entered, why and for how long.",
    erased_by="With the workspace, or with the staff member's account.",
)
register(AuditKey, title="The key to the pseudonyms", holds=NOTHING)
register(AuditLink, title="Seals of the audit record", holds=NOTHING)
register(
    Session,
    title="Sign-in sessions",
    holds="Who is signed in, and in which workspace.",
    erased_by="Signing out; ended after 12 hours, and cleared away soon after.",
)
register(
    LogEntry,
    title="Back-office log of the platform's staff",
    holds="What platform staff did in the back office, with the names of rows.",
    erased_by="With the staff member's account; an erasure takes the lines about its customer.",
)
register(Group, title="Groups of the back office", holds=NOTHING)
register(Permission, title="Rights of the back office", holds=NOTHING)
register(ContentType, title="Names of the tables", holds=NOTHING)
