"""Anticipated refusals. Entry points translate them once, in tenants/gates; services only raise."""

from collections.abc import Mapping
from typing import Any


class DeskError(Exception):
    """A refusal with a stable `code`, an HTTP `status` and a sentence that a person can act on."""

    code = "invalid"
    status = 400
    title = "The request cannot be carried out"
    detail = "Check the request and try again."

    def __init__(
        self,
        detail: str = "",
        *,
        errors: Mapping[str, list[str]] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        self.detail = detail or self.detail
        self.errors = dict(errors or {})
        self.extra = dict(extra or {})
        super().__init__(self.detail)


class NotFound(DeskError):
    """Absent, foreign and forbidden rows alike: the answer never tells which."""

    code = "not_found"
    status = 404
    title = "Not found"
    detail = "There is nothing here, or it is not yours to see."


class Forbidden(DeskError):
    """The caller is known and the thing is theirs to see, but the act needs another role."""

    code = "forbidden"
    status = 403
    title = "Not allowed"
    detail = "Your role does not include this. Ask an owner or admin of your team."


class Unauthenticated(DeskError):
    """No credentials, or credentials that do not hold."""

    code = "unauthenticated"
    status = 401
    title = "Please sign in"
    detail = "The key or token is missing, wrong, expired or revoked. Get a new one and try again."


class Conflict(DeskError):
    """The row has moved on since the caller looked."""

    code = "conflict"
    status = 409
    title = "Something changed meanwhile"
    detail = "Load the current state and try again."


class Gone(DeskError):
    """It existed and has ended for good."""

    code = "gone"
    status = 410
    title = "No longer available"
    detail = "This has ended and cannot be used any more."


class InvalidInput(DeskError):
    """A field is wrong; `errors` names it."""

    code = "invalid_input"
    title = "Some fields are not right"


class InvalidText(DeskError):
    """Text that cannot be stored as it was sent."""

    code = "invalid_text"
    title = "This text cannot be sent"
    detail = "The text holds characters that cannot be stored. Remove them and send it again."


class TooLarge(DeskError):
    """Over a stated limit; the detail names the limit."""

    code = "too_large"
    status = 413
    title = "Too large"


class TooManyRequests(DeskError):
    """Over a rate; `extra["retry_after"]` says for how many seconds."""

    code = "too_many_requests"
    status = 429
    title = "Too many requests"
    detail = "Please wait a moment and try again."


class Unavailable(DeskError):
    """A part of the desk is down; nothing was half-stored."""

    code = "unavailable"
    status = 503
    title = "Not available just now"
    detail = "Nothing was lost. Try again in a minute."
