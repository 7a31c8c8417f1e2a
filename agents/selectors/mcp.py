"""A tenant's MCP servers, as the web admin lists them."""

from agents.models import McpServer


def mcp_servers() -> list[McpServer]:
    """All of them by name, with the tools that were read from them."""
    return list(McpServer.objects.order_by("name"))
