"""Headers that every answer carries."""

import secrets
from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest
from django.http.response import HttpResponseBase

_BASE = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self';"
    " img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; manifest-src 'self';"
    " form-action 'self'; base-uri 'none'; object-src 'none'"
)
_PAGE = _BASE + "; frame-ancestors 'none'"

# Asked every few seconds by machines, and about no conversation.
_UNTRACED = ("/static/", "/healthz", "/readyz", "/metrics")


class Traced:
    """A span for each request, named by its route; not in the chain at all without a collector."""

    sync_capable = async_capable = True

    def __init__(
        self, get_response: Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]
    ) -> None:
        if not settings.OTEL_ENDPOINT:
            raise MiddlewareNotUsed
        self.get_response = get_response
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if request.path.startswith(_UNTRACED):
            return self.get_response(request)
        return self._awaited(request) if self.is_async else self._answered(request)

    def _answered(self, request: HttpRequest) -> HttpResponseBase:
        from config.telemetry import request_span  # noqa: PLC0415 - for those who trace

        with request_span(request.method or "") as answered:
            response = self.get_response(request)
            assert isinstance(response, HttpResponseBase)  # noqa: S101 - the sync chain returns it
            answered(_route(request), response.status_code)
            return response

    async def _awaited(self, request: HttpRequest) -> HttpResponseBase:
        from config.telemetry import request_span  # noqa: PLC0415 - for those who trace

        with request_span(request.method or "") as answered:
            response: HttpResponseBase = await self.get_response(request)  # type: ignore[misc]
            answered(_route(request), response.status_code)
            return response


def _route(request: HttpRequest) -> str:
    """The pattern, whose ids and slugs have no values yet."""
    return request.resolver_match.route if request.resolver_match else ""


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
