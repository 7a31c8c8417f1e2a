"""Headers that every answer carries."""

import secrets
from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

_BASE = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self';"
    " img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; manifest-src 'self';"
    " form-action 'self'; base-uri 'none'; object-src 'none'"
)
_PAGE = _BASE + "; frame-ancestors 'none'"


class SecurityHeaders:
    """A nonce for each request, a strict Content-Security-Policy, and no caching of private pages.

    Async-capable, so that a stream costs no thread. A view that needs another policy (the widget's
    frame, the staff back office) sets the header itself; `{nonce}` in it is filled in.
    """

    sync_capable = async_capable = True

    def __init__(
        self, get_response: Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]
    ) -> None:
        self.get_response = get_response
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        request.csp_nonce = secrets.token_urlsafe(16)  # type: ignore[attr-defined]
        if self.is_async:
            return self._answer(request)
        response = self.get_response(request)
        assert isinstance(response, HttpResponseBase)  # noqa: S101 - the sync chain returns it
        return _with_headers(request, response)

    async def _answer(self, request: HttpRequest) -> HttpResponseBase:
        response = await self.get_response(request)  # type: ignore[misc]
        return _with_headers(request, response)


def _with_headers(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    nonce: str = request.csp_nonce  # type: ignore[attr-defined]
    policy = response.headers.get("Content-Security-Policy", _PAGE)
    response.headers["Content-Security-Policy"] = policy.replace("{nonce}", nonce)
    if not request.path.startswith("/static/"):
        response.headers.setdefault("Cache-Control", "no-store")
    return response
