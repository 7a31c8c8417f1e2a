"""Which tools there are: the desk's own, and those of modules that the installation names."""

from dataclasses import dataclass
from importlib import import_module

from django.conf import settings

from agents.runtime.tools.decorator import DeskTool, registered_tools

_OWN = ("agents.runtime.tools.search_knowledge", "agents.runtime.tools.ask_for_person")


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """What people are told of a tool."""

    name: str
    description: str
    # What holds unless the tenant says otherwise.
    asks: bool
    needs_verified: bool
    arguments: tuple[str, ...]
    # Switched off where it is made, whatever its rule says.
    is_off: bool = False


def load_tools() -> None:
    """Importing a module registers its tools; a tenant's profile chooses among them."""
    for name in (*_OWN, *settings.AGENT_TOOL_MODULES):
        import_module(name)


def catalogue() -> dict[str, ToolFacts]:
    """Every tool by its name, in the order of registration."""
    load_tools()
    return {name: _facts(tool) for name, tool in registered_tools().items()}


def _facts(tool: DeskTool) -> ToolFacts:
    function = tool.function
    schema = function.parameters()
    return ToolFacts(
        name=function.name,
        description=function.description,
        asks=function.approval_mode == "always_require",
        needs_verified=tool.needs_verified,
        arguments=tuple(schema.get("properties") or {}),
    )
