"""Who counts the tokens of a talk: named tokenizers, one chosen by each version of the agent.

A model's own tokenizer is plugged in by the operator's setting `TURNSTONE_TOKENIZERS`; the two that
are always there count too much rather than too little, so a budget holds without one.
"""

from collections.abc import Callable
from functools import cache

from django.conf import settings
from django.utils.module_loading import import_string

Count = Callable[[str], int]

CHARACTERS = "characters"
_CHARACTERS, _BYTES = 4, 3  # of one token, about


def by_characters(text: str) -> int:
    """Four characters a token: languages in Latin script."""
    return -(-len(text) // _CHARACTERS)


def by_bytes(text: str) -> int:
    """Three bytes a token: for scripts whose letters take several tokens."""
    return -(-len(text.encode(errors="replace")) // _BYTES)


_OWN: dict[str, Count] = {CHARACTERS: by_characters, "bytes": by_bytes}


def tokenizer_names() -> list[str]:
    """All that a version may choose from."""
    return [*_OWN, *(name for name in settings.TOKENIZERS if name not in _OWN)]


def tokenizer(name: str) -> Count:
    """The tokenizer of that name; one that is no longer plugged in counts by characters."""
    return _OWN.get(name) or _plugged(settings.TOKENIZERS.get(name, ""))


@cache
def _plugged(path: str) -> Count:
    found: Count = import_string(path) if path else by_characters
    return found
