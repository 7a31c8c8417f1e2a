"""Any exception of a model, its SDK or the framework as a `TurnError` that the engine understands.

By shape and not by class: importing three SDKs to name their exceptions would cost a second and a
half, and their class names change between versions while `status_code` and `response` do not.
"""

from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any

from agent_framework.exceptions import ChatClientContentFilterException
from django.utils import timezone

from agents.services.contract import Fenced, TurnError
from agents.services.service_history import LOST
from tenants.addresses import AddressRefused
from tenants.text import scrub_text

_DETAIL_LENGTH = 500
_MAX_RETRY_AFTER = 600.0
_PREVIOUS = "previous_response"
_CONNECTION = ("Connect", "Protocol", "ReadError", "WriteError", "NetworkError", "Connection")


class CutStream(Exception):
    """The model's answer stopped without saying that it was finished."""


class Refused(Exception):
    """The provider's content filter or the model itself refused to answer."""


class TooLong(Exception):
    """The model did not come to an end."""


def turn_error(error: BaseException, *, secret: str = "") -> TurnError:
    """What the engine shall do about it: try again, how soon, and what members read."""
    if isinstance(error, TurnError):
        return error
    links = list(chain(error))
    detail = _detail(links, secret)
    for link in links:
        found = _by_kind(link, detail) or _by_status(link, detail)
        if found is not None:
            return found
    return _by_name(links, detail)


def is_fenced(error: BaseException) -> bool:
    """Whether the turn was lost, however deep the framework wrapped it."""
    return any(isinstance(link, Fenced) for link in chain(error))


def chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what it was raised from, outermost first."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__


def _by_kind(error: BaseException, detail: str) -> TurnError | None:
    if isinstance(error, AddressRefused):
        return TurnError(error.code, retryable=False, detail=error.detail)
    for kinds, code, retryable in _KINDS:
        if isinstance(error, kinds):
            return TurnError(code, retryable=retryable, detail=detail)
    if "Timeout" in type(error).__name__:
        return TurnError("timeout", retryable=True, detail=detail)
    return None


_KINDS: tuple[tuple[Any, str, bool], ...] = (
    ((Refused, ChatClientContentFilterException), "content_filter", False),
    (TooLong, "answer_too_long", False),
    (CutStream, "cut_stream", True),
    (TimeoutError, "timeout", True),
)


def _by_status(error: BaseException, detail: str) -> TurnError | None:
    status = getattr(error, "status_code", None)
    if not isinstance(status, int) or status < 400:
        return None
    code, retryable = (LOST, True) if _is_lost(status, detail) else _meaning(status, detail)
    return TurnError(
        code,
        retryable=retryable,
        retry_after=_retry_after(error) if retryable else None,
        provider_status=status,
        detail=detail,
    )


def _is_lost(status: int, detail: str) -> bool:
    """The provider does not know the answer any more from which it was to go on."""
    return status in {400, 404} and _PREVIOUS in detail.lower().replace(" ", "_")


def _meaning(status: int, detail: str) -> tuple[str, bool]:
    if status in {401, 403}:
        return "provider_auth", False
    if status == 402 or (status == 429 and "insufficient_quota" in detail):
        return "provider_quota", False
    if status == 429:
        return "provider_rate_limited", True
    if status in {408, 409, 425} or status >= 500:
        return "provider_unavailable", True
    return "provider_rejected", False


def _by_name(links: list[BaseException], detail: str) -> TurnError:
    names = [type(link).__name__ for link in links]
    if any(part in name for name in names for part in _CONNECTION):
        return TurnError("connection", retryable=True, detail=detail)
    if "APIError" in names or "ResponseInvalidatedException" in names:
        return TurnError("provider_error", retryable=True, detail=detail)
    return TurnError("internal", retryable=True, detail=detail)


def _detail(links: list[BaseException], secret: str) -> str:
    """What the provider said, without the key, short enough for a page."""
    speaking = [link for link in links if str(link).strip()]
    named = [link for link in speaking if getattr(link, "status_code", None)] or speaking or links
    text = f"{type(named[0]).__name__}: {named[0]}"
    if secret:
        text = text.replace(secret, "…")
    return scrub_text(" ".join(text.split()))[:_DETAIL_LENGTH]


def _retry_after(error: Any) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    value = str(headers.get("retry-after", "")).strip()
    milliseconds = str(headers.get("retry-after-ms", "")).strip()
    if milliseconds.isdigit():
        return min(int(milliseconds) / 1000, _MAX_RETRY_AFTER)
    return None if not value else _seconds(value)


def _seconds(value: str) -> float | None:
    try:
        wait = float(value)
    except ValueError:
        try:
            wait = (parsedate_to_datetime(value) - timezone.now()).total_seconds()
        except (ValueError, TypeError):
            return None
    return min(max(wait, 0.0), _MAX_RETRY_AFTER) if isfinite(wait) else None
