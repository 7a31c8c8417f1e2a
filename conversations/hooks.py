"""The only ways in which an app above joins in. Signals run inside the sender's transaction."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

from django.dispatch import Signal

# A customer's line is stored. Arguments: conversation, message.
customer_message_posted = Signal()

# Who answers has changed, or the talk ended. Arguments: conversation, cause (an Event.Kind).
handler_changed = Signal()

# A message has new words, or black ones. Arguments: conversation, message.
message_changed = Signal()

_typing_probes: list[Callable[[UUID], bool]] = []


def register_typing_probe(probe: Callable[[UUID], bool]) -> None:
    """`probe(conversation_id)` says whether an answer of the agent is on its way."""
    _typing_probes.append(probe)


def agent_is_typing(conversation_id: UUID) -> bool:
    return any(probe(conversation_id) for probe in _typing_probes)


Rows = Iterator[dict[str, Any]]

_own_data: dict[str, Callable[[UUID], Rows]] = {}


def register_own_data(name: str, rows: Callable[[UUID], Rows]) -> None:
    """`rows(customer_id)` gives what an app above holds of a customer, for the file of that name.

    The subject's own data only: no secret, and nobody else's name.
    """
    _own_data[name] = rows


def own_data_above() -> dict[str, Callable[[UUID], Rows]]:
    return dict(sorted(_own_data.items()))
