"""All tools that a tenant made by configuration: the one hook by which they reach a run."""

from collections.abc import Sequence

from agents.runtime.tools.decorator import DeskTool
from agents.runtime.tools.http import http_tools
from agents.runtime.tools.mcp import mcp_tools
from agents.runtime.tools.specialists import specialist_tools


def own_tools(names: Sequence[str]) -> dict[str, DeskTool]:
    """By name, those that a version names. Inside a scope; three statements."""
    return {**plain_tools(names), **specialist_tools(names)}


def plain_tools(names: Sequence[str]) -> dict[str, DeskTool]:
    """Without specialists: what a specialist itself may be given. Two statements."""
    return {**mcp_tools(names), **http_tools(names)}
