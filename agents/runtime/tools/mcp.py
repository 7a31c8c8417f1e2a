"""Tools of a tenant's MCP servers, in the agent's hands like every other tool."""

from collections.abc import Mapping, Sequence
from typing import Any

import structlog
from agent_framework import FunctionInvocationContext, FunctionTool

from agents.models import McpServer
from agents.runtime.mcp import McpAddress, address_of, call_tool
from agents.runtime.tools.decorator import FAILED, DeskTool, fitted
from agents.services.mcp import offered_name
from tenants.errors import DeskError

log = structlog.get_logger(__name__)


def mcp_tools(names: Sequence[str]) -> dict[str, DeskTool]:
    """Those of the servers' tools that a version names; one statement."""
    wanted, found = set(names), dict[str, DeskTool]()
    for server in McpServer.objects.filter(enabled=True):
        address = address_of(server)
        for tool in server.tools:
            name = offered_name(server.name, tool["name"])
            if name in wanted:
                found.setdefault(name, _made(name, server, address, tool))
    return found


def _made(name: str, server: McpServer, address: McpAddress, tool: Mapping[str, Any]) -> DeskTool:
    async def invoke(context: FunctionInvocationContext, **values: Any) -> str:
        try:
            return fitted(await call_tool(address, tool["name"], values))
        except DeskError as refusal:
            context.metadata["failed"] = True
            return fitted(refusal.detail)
        except Exception as error:  # noqa: BLE001 - whatever a server does, the model is told
            context.metadata["failed"] = True
            log.warning("mcp_tool_failed", tool=name, error=type(error).__name__)
            return FAILED

    function = FunctionTool(
        name=name,
        description=tool["description"],
        func=invoke,
        input_model=tool["schema"],
        approval_mode="always_require" if server.needs_approval else "never_require",
    )
    # That a tool only reads is the server's word: it may be repeated, not skip an approval.
    return DeskTool(
        function,
        needs_verified=False,
        money="",
        repeatable=tool["only_reads"],
        secrets=tuple(address.headers.values()),
    )
