"""Origins of websites that may embed a widget: an exact list, never a pattern but for the port."""

import re
from collections.abc import Iterable

from tenants.errors import InvalidInput

# Scheme, host in ASCII (punycode for other scripts), port or `*` for every port; nothing after it.
_ORIGIN = re.compile(
    r"(?P<site>https?://(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*"
    r"|\[[0-9a-f:]+\]))(?::(?P<port>\d{1,5}|\*))?"
)
_DEFAULT_PORTS = {"https": "443", "http": "80"}
_HOW = "Write each origin like https://shop.example.com, without a path; :* stands for every port."


def clean_origins(origins: Iterable[str]) -> list[str]:
    """The origins as browsers send them, each once; raises `InvalidInput` naming the bad ones."""
    cleaned = {text: _clean(text) for text in (origin.strip() for origin in origins) if text}
    bad = [text for text, origin in cleaned.items() if origin is None or len(origin) > 253]
    if bad:
        raise InvalidInput(
            _HOW, errors={"allowed_origins": [f"{text[:100]}: {_HOW}" for text in bad]}
        )
    return list(dict.fromkeys(origin for origin in cleaned.values() if origin))


def origin_allowed(origin: str, allowed: Iterable[str]) -> bool:
    """Whether a browser's `Origin` stands on the list, letter by letter."""
    match = _ORIGIN.fullmatch(origin)
    if match is None or match["port"] == "*":
        return False
    return bool({origin, f"{match['site']}:*"} & set(allowed))


def _clean(text: str) -> str | None:
    match = _ORIGIN.fullmatch(text.lower().removesuffix("/"))
    if match is None:
        return None
    site, port = match["site"], match["port"]
    if port is None or port == _DEFAULT_PORTS[site.partition(":")[0]]:
        return site
    return f"{site}:{port}"
