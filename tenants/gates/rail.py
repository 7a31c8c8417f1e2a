"""The links of the web admin's rail, in their order: the one list of them."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tenants.permissions import Permission


class Link(NamedTuple):
    """A page by its name in the URL maps; it shows to whoever has the permission."""

    permission: Permission
    page: str
    label: Promise
    # What a page names as `active`.
    key: str
    icon: str


RAIL = (
    Link(Permission.READ, "conversations:inbox", _("Inbox"), "inbox", "inbox"),
    Link(Permission.READ, "conversations:customers", _("Customers"), "customers", "person"),
    Link(Permission.APPROVE, "agents:approvals", _("Approvals"), "approvals", "approve"),
    Link(Permission.KNOWLEDGE, "agents:articles", _("Knowledge"), "knowledge", "book"),
    Link(Permission.AGENT_SETTINGS, "agents:agent", _("Agent"), "agent", "agent"),
    Link(Permission.READ, "agents:usage", _("Usage"), "usage", "chart"),
    Link(Permission.PRIVACY, "conversations:privacy", _("Privacy"), "privacy", "privacy"),
    Link(Permission.MEMBERS, "tenants:members", _("Team"), "team", "team"),
    Link(Permission.KEYS, "tenants:widget-keys", _("Keys"), "keys", "key"),
    Link(Permission.AUDIT, "tenants:audit", _("Audit"), "audit", "audit"),
    Link(Permission.AGENT_SETTINGS, "agents:tools", _("Tools"), "tools", "tool"),
    Link(Permission.AGENT_SETTINGS, "tenants:settings", _("Settings"), "settings", "settings"),
)
