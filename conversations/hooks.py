"""The only ways in which an app above joins in. Signals run inside the sender's transaction."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
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

# Conversations are being erased: hidden from this moment on. Arguments: conversations (their rows,
# locked).
conversations_hidden = Signal()

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


class Provider(NamedTuple):
    """Who may still hold what the desk has sent, outside of it, and until when."""

    name: str
    until: datetime


class Receipt(NamedTuple):
    """What another system answered: its HTTP status (0: nothing came) and the words."""

    status: int
    body: bytes = b""


_providers: list[Callable[[Sequence[UUID]], Sequence[Provider]]] = []
_messengers: list[Callable[[str, Mapping[str, str], bytes], Receipt]] = []


def register_providers(find: Callable[[Sequence[UUID]], Sequence[Provider]]) -> None:
    """`find(conversation_ids)` names those to whom anything of these conversations was sent."""
    _providers.append(find)


def providers_of(conversation_ids: Sequence[UUID]) -> list[Provider]:
    return [one for find in _providers for one in find(conversation_ids)]


def register_messenger(post: Callable[[str, Mapping[str, str], bytes], Receipt]) -> None:
    """`post(url, headers, body)` is the guarded way out; it holds no scope and never raises."""
    _messengers[:] = [post]


def post_outside(url: str, headers: Mapping[str, str], body: bytes) -> Receipt:
    """Through the guarded way out, which the app above has brought along."""
    return _messengers[0](url, headers, body)
