from tenants.models.audit import Actor, AuditEntry, AuditKey, AuditLink
from tenants.models.due import DueWork
from tenants.models.keys import ApiKey, WidgetKey
from tenants.models.member import IN_THE_TEAM, Invitation, Member, Role
from tenants.models.staff import OPEN_VISIT, StaffVisit, VisitReason
from tenants.models.tenant import AgentMode, Tenant
from tenants.models.user import User

__all__ = [
    "IN_THE_TEAM",
    "OPEN_VISIT",
    "Actor",
    "AgentMode",
    "ApiKey",
    "AuditEntry",
    "AuditKey",
    "AuditLink",
    "DueWork",
    "Invitation",
    "Member",
    "Role",
    "StaffVisit",
    "Tenant",
    "User",
    "VisitReason",
    "WidgetKey",
]
