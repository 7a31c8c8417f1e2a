"""The one way out to an address that a tenant chose: model endpoints, HTTP tools and MCP servers.

Every request looks its name up once, refuses it when one answer is not public, and connects to that
very number, so that a second look-up cannot lead elsewhere. The certificate and the Host header are
still those of the name. No proxy is read from the environment, no answer is unpacked or read
without bound.
"""

import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx
import httpx2

from tenants.addresses import RULES, AddressRefused, AddressRules, check_url
from tenants.errors import DeskError

MODEL_BYTES = 16 * 1024 * 1024
TOOL_BYTES = 1024 * 1024
TOOL_SECONDS = 5.0
MOST_REDIRECTS = 3
# Compressed, a small answer could fill the memory.
PLAIN = {"accept-encoding": "identity"}
_MOST_ADDRESSES = 3
_CONNECT = (httpx.ConnectError, httpx.ConnectTimeout, httpx2.ConnectError, httpx2.ConnectTimeout)


class AnswerTooLarge(DeskError):
    """The other side sent more than anybody wants to read."""

    code = "answer_too_large"
    status = 502
    title = "The answer is too large"
    detail = "The server answered with more than may be read. Ask it for less."


class GuardedTransport:
    """Stands between a client of httpx or httpx2 and its own transport."""

    def __init__(self, inner: Any, *, limit: int, rules: AddressRules = RULES) -> None:
        self._inner, self._limit, self._rules = inner, limit, rules

    async def handle_async_request(self, request: Any) -> Any:
        check_url(str(request.url), ports=self._rules.ports)
        host = request.url.raw_host.decode("ascii")
        addresses = (await self._rules.addresses(host))[:_MOST_ADDRESSES]
        response = await self._first(request, host, addresses)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise AddressRefused("The server packs its answers though it was asked not to.")
        response.stream = _Bounded(response.stream, self._limit)
        return response

    async def _first(self, request: Any, host: str, addresses: list[str]) -> Any:
        for address in addresses[:-1]:
            try:
                return await self._inner.handle_async_request(_pinned(request, host, address))
            except _CONNECT:
                continue
        return await self._inner.handle_async_request(_pinned(request, host, addresses[-1]))

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> "GuardedTransport":
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._inner.__aexit__(*error)


class _Bounded(httpx.AsyncByteStream, httpx2.AsyncByteStream):
    """A body that ends with an error where it grows too long."""

    def __init__(self, inner: Any, limit: int) -> None:
        self._inner, self._limit = inner, limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._limit
        async for chunk in self._inner:
            left -= len(chunk)
            if left < 0:
                raise AnswerTooLarge
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


@dataclass(frozen=True)
class Fetched:
    """An answer, whole and within its bound."""

    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str]

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", errors="replace")


@dataclass(frozen=True)
class Call:
    """One request to a tenant's server. `secret_headers` never follow it to another server."""

    method: str
    url: str
    headers: Mapping[str, str]
    secret_headers: Mapping[str, str]
    body: bytes | None = None
    limit: int = TOOL_BYTES
    seconds: float = TOOL_SECONDS


async def fetch(
    call: Call, *, rules: AddressRules = RULES, tls: ssl.SSLContext | None = None
) -> Fetched:
    """The answer to `call`, after at most three redirects, each checked like the first address.

    Only a reading request is redirected: one that writes would be done twice or elsewhere.
    Raises `AddressRefused`, `AnswerTooLarge`, or what the HTTP client raises.
    """
    inner = httpx2.AsyncHTTPTransport(verify=tls or tls_context(), trust_env=False)
    transport: Any = GuardedTransport(inner, limit=call.limit, rules=rules)
    async with httpx2.AsyncClient(
        transport=transport, trust_env=False, follow_redirects=False, timeout=call.seconds
    ) as client:
        url = call.url
        for _ in range(MOST_REDIRECTS + 1):
            answer = await _asked(client, call, url)
            target = _target(answer, url)
            if target is None:
                return answer
            if call.method not in {"GET", "HEAD"}:
                raise AddressRefused(
                    "The server redirects a request that writes. Give the new URL."
                )
            url = target
    raise AddressRefused("The server redirects too often.")


async def _asked(client: httpx2.AsyncClient, call: Call, url: str) -> Fetched:
    secret = call.secret_headers if _origin(url) == _origin(call.url) else {}
    headers = {**PLAIN, **call.headers, **secret}
    async with client.stream(call.method, url, headers=headers, content=call.body) as answer:
        body = await answer.aread()
    kind = answer.headers.get("content-type", "")
    return Fetched(answer.status_code, kind, body, dict(answer.headers))


def _target(answer: Fetched, url: str) -> str | None:
    location = answer.headers.get("location", "")
    return urljoin(url, location) if 300 <= answer.status < 400 and location else None


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port


def _pinned(request: Any, host: str, address: str) -> Any:
    """The same request to this number; the name stays in its Host header and its handshake."""
    return type(request)(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": host},
    )


@cache
def tls_context() -> ssl.SSLContext:
    """One for the process: building it costs 20 ms, four times the rest of a client."""
    return ssl.create_default_context()
