"""Which tools a tenant's agent and its specialists may be given."""

from agents.models import HttpTool, McpServer
from agents.runtime.policy import may_ask
from agents.runtime.tools.ask_for_person import ask_for_person
from agents.runtime.tools.decorator import registered_tools
from agents.runtime.tools.own import plain_tools
from agents.runtime.tools.registry import load_tools
from agents.services.mcp import offered_name
from agents.services.tools import AS_THE_TOOL_SAYS, tool_rules


def tool_choices() -> list[tuple[str, str]]:
    """Name and description of every registered tool, by name."""
    load_tools()
    tools = [tool.function for tool in registered_tools().values()]
    return sorted((tool.name, tool.description) for tool in tools)


def configured_names() -> list[str]:
    """The names of the tenant's own tools, switched on or not, without specialists."""
    servers = McpServer.objects.all()
    brought = [offered_name(row.name, tool["name"]) for row in servers for tool in row.tools]
    return [*HttpTool.objects.values_list("name", flat=True), *brought]


def specialist_choices() -> list[tuple[str, str]]:
    """The same for a specialist: none that may wait for a member, and none that calls a person."""
    load_tools()
    rules = tool_rules()
    known = {**plain_tools(configured_names()), **registered_tools()}
    known.pop(ask_for_person.name, None)
    free = [
        tool.function
        for name, tool in known.items()
        if not may_ask(tool, rules.get(name, AS_THE_TOOL_SAYS))
    ]
    return sorted((tool.name, tool.description) for tool in free)
