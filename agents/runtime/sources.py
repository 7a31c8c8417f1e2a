"""Where a message of a request comes from, by the framework's own mark."""

from collections.abc import Iterable
from typing import Final

from agent_framework import Message

from agents.services.profiles import ALWAYS, CONTEXT

# Said in this run: by its caller, or by the model and its tools.
EXTERNAL: Final = "external"
HISTORY: Final = "history"
# All context providers, in the order in which they tell.
SOURCES: Final = (*CONTEXT, *ALWAYS)


def source_of(message: Message) -> str:
    """`external`, `history`, or the name of the context provider that added it."""
    mark = message.additional_properties.get("_attribution") or {}
    name = str(mark.get("source_id") or "")
    if not name:
        return EXTERNAL
    return name if name in SOURCES else HISTORY


def without_context(messages: Iterable[Message]) -> list[Message]:
    """The talk alone."""
    return [message for message in messages if source_of(message) not in SOURCES]
