"""What may be stored as text. People are told; models and tools are mended."""

import re
import unicodedata

from tenants.errors import InvalidText, TooLarge

MESSAGE_LIMIT = 10_000

# PostgreSQL stores no NUL, and a lone surrogate has no UTF-8 form.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_INVISIBLE = {"Cc", "Cf", "Zs", "Zl", "Zp"}
# Looks like nothing although Unicode calls it a letter or symbol.
_BLANKS = {"\u2800", "\u3164", "\u115f", "\u1160", "\uffa0"}


def clean_text(value: str, *, limit: int = MESSAGE_LIMIT) -> str:
    """A person's text exactly as it was sent, or a refusal that says what to change."""
    if not _is_storable(value):
        raise InvalidText
    if len(value) > limit:
        raise TooLarge(
            f"This text has {len(value):,} characters; the limit is {limit:,}."
            " Shorten it or send it in parts."
        )
    if is_blank(value):
        raise InvalidText("The text is empty. Write something and send it again.")
    return value


def scrub_text(value: str) -> str:
    """Text of a model or tool: what cannot be stored becomes U+FFFD, so no turn is poison."""
    if _is_storable(value):
        return value
    return _UNSTORABLE.sub("\ufffd", value)


def _is_storable(value: str) -> bool:
    """The same question as the pattern's, without a look at every character in Python's slow way.

    A window of forty lines is asked it on every turn.
    """
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in value


def is_blank(value: str) -> bool:
    return all(char in _BLANKS or unicodedata.category(char) in _INVISIBLE for char in value)
