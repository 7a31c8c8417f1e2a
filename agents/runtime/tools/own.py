"""All tools that a tenant made by configuration: the one hook by which they reach a run."""

from collections.abc import Mapping, Sequence
from typing import Any

from agents.models import HttpTool, McpServer, Specialist
from agents.runtime.tools.decorator import DeskTool, tool_named
from agents.runtime.tools.http import http_tools
from agents.runtime.tools.mcp import mcp_tools
from agents.runtime.tools.registry import ToolFacts, catalogue
from agents.runtime.tools.specialists import specialist_tools
from agents.selectors.http_tools import http_tools as http_rows
from agents.selectors.mcp import mcp_servers
from agents.selectors.specialists import specialists
from agents.services.mcp import offered_name

_LONGEST = 60  # of an argument's name in a rule


def own_tools(names: Sequence[str]) -> dict[str, DeskTool]:
    """By name, those that a version names. Inside a scope; no statement when all are the desk's."""
    wanted = _not_the_desks(names)
    return {**plain_tools(wanted), **specialist_tools(wanted)} if wanted else {}


def plain_tools(names: Sequence[str]) -> dict[str, DeskTool]:
    """Without specialists: what a specialist itself may be given. Two statements, or none."""
    wanted = _not_the_desks(names)
    return {**mcp_tools(wanted), **http_tools(wanted)} if wanted else {}


def _not_the_desks(names: Sequence[str]) -> list[str]:
    """A name of the installation's own tools is theirs, whatever a tenant calls its own."""
    return [name for name in names if tool_named(name) is None]


def whole_catalogue() -> dict[str, ToolFacts]:
    """What people are told of every tool, the tenant's own last. Inside a scope; three statements.

    Where two share a name, the one that the agent would call.
    """
    own = {row.name: _of_specialist(row) for row in specialists()}
    own |= {row.name: _of_http(row) for row in http_rows() if row.name not in own}
    for server in mcp_servers():
        for tool in server.tools:
            facts = _of_mcp(server, tool)
            own.setdefault(facts.name, facts)
    built_in = catalogue()
    return {**built_in, **{name: each for name, each in own.items() if name not in built_in}}


def _of_http(row: HttpTool) -> ToolFacts:
    return ToolFacts(
        name=row.name,
        description=row.description,
        asks=row.needs_approval,
        needs_verified=row.needs_verified,
        arguments=_arguments(row.schema),
        is_off=not row.enabled,
    )


def _of_specialist(row: Specialist) -> ToolFacts:
    return ToolFacts(
        name=row.name,
        description=row.description,
        asks=False,
        needs_verified=False,
        arguments=(),  # a task has no amount to ask above
        is_off=not row.enabled,
    )


def _of_mcp(server: McpServer, tool: Mapping[str, Any]) -> ToolFacts:
    return ToolFacts(
        name=offered_name(server.name, tool["name"]),
        description=tool["description"],
        asks=server.needs_approval,
        needs_verified=False,
        arguments=_arguments(tool["schema"]),
        is_off=not server.enabled,
    )


def _arguments(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Those that a rule can name."""
    return tuple(name for name in schema.get("properties") or {} if len(name) <= _LONGEST)
