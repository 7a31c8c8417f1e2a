"""All tools that a tenant made by configuration: the one hook by which they reach a run."""

from collections.abc import Sequence

from agents.runtime.tools.decorator import DeskTool, tool_named
from agents.runtime.tools.http import http_tools
from agents.runtime.tools.mcp import mcp_tools
from agents.runtime.tools.specialists import specialist_tools


def own_tools(names: Sequence[str]) -> dict[str, DeskTool]:
    """By name, those that a version names. Inside a scope; no statement when all are the desk's."""
    wanted = _not_the_desks(names)
    return {**plain_tools(wanted), **specialist_tools(wanted)} if wanted else {}


def plain_tools(names: Sequence[str]) -> dict[str, DeskTool]:
    """Without specialists: what a specialist itself may be given."""
    wanted = _not_the_desks(names)
    return {**mcp_tools(wanted), **http_tools(wanted)} if wanted else {}


def _not_the_desks(names: Sequence[str]) -> list[str]:
    """A name of the installation's own tools is theirs, whatever a tenant calls its own."""
    return [name for name in names if tool_named(name) is None]
