"""Which modules hold tools: the desk's own, and those that the installation names."""

from importlib import import_module

from django.conf import settings

_OWN = ("agents.runtime.tools.search_knowledge", "agents.runtime.tools.ask_for_person")


def load_tools() -> None:
    """Importing a module registers its tools; a tenant's profile chooses among them."""
    for name in (*_OWN, *settings.AGENT_TOOL_MODULES):
        import_module(name)
