"""Reads a request's body and query strictly: what is read is exactly what was meant."""

import json
import math
import re
from collections.abc import Iterable
from typing import Any, NoReturn

from django.conf import settings
from django.http import HttpRequest
from rest_framework.parsers import JSONParser

from tenants.errors import InvalidInput, InvalidText, TooLarge
from tenants.gates.problems import LARGEST_BODY, InvalidJson, UnsupportedMediaType

_DEEPEST = 20
_LONGEST_INTEGER = 20
_NOT_STORABLE = re.compile("[\0\ud800-\udfff]")


class StrictJsonParser(JSONParser):
    """DRF's place for `read_json`; the views call that, for DRF reads no chunked body."""

    def parse(self, stream: Any, *_: Any, **__: Any) -> dict[str, Any]:
        return loads(stream.read())


def read_json(request: HttpRequest) -> dict[str, Any]:
    """The one JSON object of the body; `{}` when there is no body at all."""
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType
    raw = request.body
    if len(raw) > (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0):
        raise TooLarge(LARGEST_BODY)
    if not raw:
        return {}
    charset = (request.content_params or {}).get("charset", "utf-8").lower()
    if request.content_type != "application/json" or charset not in {"utf-8", "utf8"}:
        raise UnsupportedMediaType
    return loads(raw)


def loads(raw: bytes) -> dict[str, Any]:
    try:
        value = json.loads(
            raw.decode("utf-8"),
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_short_integer,
            object_pairs_hook=_once_each,
        )
    except RecursionError:
        raise InvalidJson("The body is nested too deeply.") from None
    except ValueError as error:  # bad JSON, bad UTF-8, a byte order mark
        raise InvalidJson from error
    if not isinstance(value, dict):
        raise InvalidJson
    _check_values(value)
    return value


def refuse_unknown(given: Iterable[str], known: Iterable[str], what: str) -> None:
    """Names every field, filter or sort key that does not exist."""
    known = sorted(known)
    unknown = sorted(set(given) - set(known))
    if unknown:
        hint = f"This {what} does not exist here. Known: {', '.join(known) or 'none'}."
        raise InvalidInput(
            f"Remove what is not known: {', '.join(unknown)[:200]}.",
            errors={name[:80]: [hint] for name in unknown[:20]},
        )


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidJson(f"{name} is not a number in JSON.")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise InvalidJson("A number is too large.")
    return number


def _short_integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER:
        raise InvalidJson("A number has too many digits.")
    return int(digits)


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Readers differ on which of two equal keys counts, so neither does."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidJson("A field stands twice in the same object. Send it once.")
    return found


def _check_values(root: dict[str, Any]) -> None:
    """Depth and text of the whole tree, without recursion: the depth is what is in doubt."""
    level: list[Any] = [root]
    depth = 0
    while level:
        depth += 1
        if depth > _DEEPEST:
            raise InvalidJson("The body is nested too deeply.")
        level = [child for value in level for child in _children(value)]


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, str):
        if _NOT_STORABLE.search(value):
            raise InvalidText
        return ()
    if isinstance(value, dict):
        return (*value.keys(), *value.values())
    return value if isinstance(value, list) else ()
