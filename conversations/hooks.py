"""The only ways in which an app above joins in. Signals run inside the sender's transaction."""

from collections.abc import Callable
from uuid import UUID

from django.dispatch import Signal

# A customer's line is stored. Arguments: conversation, message.
customer_message_posted = Signal()

# Who answers has changed, or the talk ended. Arguments: conversation, cause (an Event.Kind).
handler_changed = Signal()

# A message has new words, or black ones. Arguments: conversation, message.
message_changed = Signal()

# A conversation goes on from an earlier point of another. Arguments: conversation, source.
conversation_forked = Signal()

_typing_probes: list[Callable[[UUID], bool]] = []


def register_typing_probe(probe: Callable[[UUID], bool]) -> None:
    """`probe(conversation_id)` says whether an answer of the agent is on its way."""
    _typing_probes.append(probe)


def agent_is_typing(conversation_id: UUID) -> bool:
    return any(probe(conversation_id) for probe in _typing_probes)
