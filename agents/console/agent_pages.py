"""The frame of the agent's pages: its tabs, around the plain templates."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from tenants.gates.members import MemberRequest
from tenants.permissions import Permission, may

AGENT, PLAYGROUND, SPECIALISTS = "agent", "playground", "specialists"
OWN_TOOLS, SERVERS, MODELS = "http-tools", "mcp-servers", "endpoints"


def frame(request: MemberRequest, active: str) -> dict[str, Any]:
    """The tabs that this member may open; each is named by the URL of its first page."""
    tabs = [
        {
            "label": label,
            "url": reverse(f"agents:{name}", args=[request.tenant.slug]),
            "active": name == active,
        }
        for name, label, needed in _tabs()
        if may(request.member, needed)
    ]
    return {"active": "agent", "tabs": tabs, "tabs_label": _("The AI agent")}


def _tabs() -> list[tuple[str, str, Permission]]:
    return [
        (AGENT, _("Agent"), Permission.AGENT_SETTINGS),
        (PLAYGROUND, _("Playground"), Permission.AGENT_SETTINGS),
        (SPECIALISTS, _("Specialists"), Permission.AGENT_SETTINGS),
        (OWN_TOOLS, _("Your own tools"), Permission.AGENT_SETTINGS),
        (SERVERS, _("MCP servers"), Permission.AGENT_SETTINGS),
        (MODELS, _("Models"), Permission.ENDPOINTS),
    ]
