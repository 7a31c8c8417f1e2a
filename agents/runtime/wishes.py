"""Tools that the client without a language model understands by the customer's wording."""

from collections.abc import Callable, Collection
from typing import Any

# Arguments from a customer's words, or None when they do not plainly say all that is needed.
Wish = Callable[[str], dict[str, Any] | None]

_WISHES: dict[str, Wish] = {}


def understand(tool: str, wish: Wish) -> None:
    _WISHES[tool] = wish


def wished(asked: str, tools: Collection[str]) -> tuple[str, dict[str, Any]] | None:
    """The tool and its arguments, of those that may be used."""
    found = ((name, _WISHES[name](asked)) for name in sorted(tools) if name in _WISHES)
    return next(((name, given) for name, given in found if given is not None), None)
