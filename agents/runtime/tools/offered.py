"""Which tools a tenant's agent may be given."""

from agents.runtime.tools import ask_for_person, search_knowledge  # noqa: F401 - registers them
from agents.runtime.tools.decorator import registered_tools


def tool_choices() -> list[tuple[str, str]]:
    """Name and description of every registered tool, by name."""
    tools = [tool.function for tool in registered_tools()]
    return sorted((tool.name, tool.description) for tool in tools)
