"""What each role may do. The one table; no other file compares roles."""

from enum import StrEnum

from tenants.models import Member, Role


class Permission(StrEnum):
    """Named after the act, as DESIGN's table lists them."""

    READ = "read"  # conversations, search, usage
    REPLY = "reply"  # reply, note, take over, hand back, resolve, title, stage, labels
    APPROVE = "approve"  # tool calls below the tenant's limit
    APPROVE_ABOVE_LIMIT = "approve_above_limit"
    KNOWLEDGE = "knowledge"
    AGENT_SETTINGS = "agent_settings"
    MEMBERS = "members"
    KEYS = "keys"  # widget and API keys, webhooks
    ENDPOINTS = "endpoints"  # model endpoints and budgets
    PRIVACY = "privacy"  # retention, holds, erasure, export, certificates
    AUDIT = "audit"
    OWNERS = "owners"  # roles of owners, closing the tenant


_SUPPORT = frozenset({Permission.READ, Permission.REPLY, Permission.APPROVE})
_ADMIN = _SUPPORT | {
    Permission.APPROVE_ABOVE_LIMIT,
    Permission.KNOWLEDGE,
    Permission.AGENT_SETTINGS,
    Permission.MEMBERS,
    Permission.KEYS,
    Permission.ENDPOINTS,
}
_PRIVACY = frozenset({Permission.READ, Permission.PRIVACY, Permission.AUDIT})

ROLE_PERMISSIONS: dict[str, frozenset[Permission]] = {
    Role.OWNER: _ADMIN | _PRIVACY | {Permission.OWNERS},
    Role.ADMIN: _ADMIN,
    Role.PRIVACY_OFFICER: _PRIVACY,
    Role.SUPPORT_AGENT: _SUPPORT,
    Role.VIEWER: frozenset({Permission.READ}),
}


def roles_with(permission: Permission) -> list[str]:
    """The roles that may do it."""
    return sorted(role for role, found in ROLE_PERMISSIONS.items() if permission in found)


def may(member: Member, permission: Permission) -> bool:
    return permission in ROLE_PERMISSIONS[member.role]
