"""Which tools a tenant's agent may be given."""

from agents.runtime.tools.decorator import registered_tools
from agents.runtime.tools.registry import load_tools


def tool_choices() -> list[tuple[str, str]]:
    """Name and description of every registered tool, by name."""
    load_tools()
    tools = [tool.function for tool in registered_tools().values()]
    return sorted((tool.name, tool.description) for tool in tools)
