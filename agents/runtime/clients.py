"""The model's client, opened and closed within one run; the only importer of provider packages.

Opened inside the run's event loop, because an SDK client that outlives its loop fails every second
call. The imports are lazy: web processes never pay for them. No client takes a key, an address or
a proxy from the environment: a tenant without a key must not speak with the operator's.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from copy import copy
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from agent_framework import (
    BaseChatClient,
    ChatContext,
    ChatMiddleware,
    Content,
    FunctionInvocationConfiguration,
    Message,
)

from agents.models import Api, StrayId
from agents.runtime import instrumentation
from agents.runtime.offline import OfflineChatClient

# Before the first run of the process: every run has a client.
instrumentation.settle()

MAX_TOOL_CALLS = 16
# Sent where a server wants some key and the tenant has none.
_NO_KEY = "no-key"
OPENAI_URL = "https://api.openai.com/v1"
_ANTHROPIC_URL = "https://api.anthropic.com"
_OLLAMA_URL = "http://127.0.0.1:11434"
_CONNECT_SECONDS = 10.0


@dataclass(frozen=True)
class ClientSpec:
    """Everything that opens a client; read from the endpoint's row before the loop starts."""

    api: str
    model: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    # The operator's own choice; every other address is called through the guard.
    trusted: bool = False
    timeout_seconds: float = 60
    max_output_tokens: int = 1024
    max_steps: int = 8
    locale: str = "en"
    options: Mapping[str, Any] = field(default_factory=dict)
    input_price: Any = 0
    output_price: Any = 0
    currency: str = "USD"
    # What an id means that comes although no history was to be kept.
    stray_id: str = StrayId.RAISE

    @property
    def vendor(self) -> str:
        """Whose reasoning may be sent back: sealed reasoning is for the model that wrote it."""
        return f"{self.api}/{self.model}"


class ArgumentsAsText(ChatMiddleware):
    """Calls that another protocol made hold an object, which this one's server refuses."""

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        context.messages = [_with_text(message) for message in context.messages]
        await call_next()


def _with_text(message: Message) -> Message:
    if not any(isinstance(content.arguments, Mapping) for content in message.contents):
        return message
    changed = copy(message)
    changed.contents = [_as_text(content) for content in message.contents]
    return changed


def _as_text(content: Content) -> Content:
    if not isinstance(content.arguments, Mapping):
        return content
    changed = copy(content)
    changed.arguments = json.dumps(content.arguments, ensure_ascii=False)
    return changed


ClientFactory = Callable[[ClientSpec], AbstractAsyncContextManager[BaseChatClient[Any]]]


def function_settings(max_steps: int) -> FunctionInvocationConfiguration:
    """The bounds of the tool loop; one call at a time, so that a retry meets the same steps."""
    return {
        "enabled": True,
        "max_iterations": max_steps,
        "max_function_calls": MAX_TOOL_CALLS,
        "allow_concurrent_invocation": False,
        "include_detailed_errors": False,
    }


@asynccontextmanager
async def open_client(spec: ClientSpec) -> AsyncIterator[BaseChatClient[Any]]:
    """The chat client that `spec` names; its connections are closed at the end."""
    # A second or more in a fresh process: in a thread, so that the lease is kept meanwhile.
    await asyncio.to_thread(load_packages, spec.api)
    async with _OPENERS[spec.api](spec) as client:
        yield client


def load_packages(api: str) -> None:
    """Imports what clients of this protocol need; a worker may do so before it forks."""
    for name in PACKAGES.get(api, ()):
        import_module(name)


_WAY_OUT = "agents.runtime.egress"
PACKAGES: dict[str, tuple[str, ...]] = {
    Api.CHAT_COMPLETIONS: ("openai", "agent_framework_openai", _WAY_OUT),
    Api.RESPONSES: ("openai", "agent_framework_openai", _WAY_OUT),
    Api.MESSAGES: ("anthropic", "agent_framework_anthropic", _WAY_OUT),
    Api.OLLAMA: ("ollama", "agent_framework_ollama", _WAY_OUT),
}


def _http(spec: ClientSpec) -> Any:
    """A plain HTTP client.

    The SDKs' own ones read proxies from the environment and follow redirects, which would carry a
    tenant's key to a third address.
    """
    import httpx2  # noqa: PLC0415 - slow

    timeout = httpx2.Timeout(spec.timeout_seconds, connect=_CONNECT_SECONDS)
    return httpx2.AsyncClient(
        trust_env=False, follow_redirects=False, timeout=timeout, **_way_out(spec, httpx2)
    )


def _way_out(spec: ClientSpec, library: Any) -> dict[str, Any]:
    """How a client of this library connects: as it likes, or through the guard."""
    from agents.runtime import egress  # noqa: PLC0415 - slow

    if spec.trusted:
        return {"verify": egress.tls_context()}
    inner = library.AsyncHTTPTransport(verify=egress.tls_context(), trust_env=False)
    guard = egress.GuardedTransport(inner, limit=egress.MODEL_BYTES)
    return {"transport": guard, "headers": egress.PLAIN}


@asynccontextmanager
async def _openai_sdk(spec: ClientSpec) -> AsyncIterator[Any]:
    from openai import AsyncOpenAI, Omit  # noqa: PLC0415 - slow

    http = _http(spec)
    unsent: Any = {"OpenAI-Organization": Omit(), "OpenAI-Project": Omit()}
    sdk = AsyncOpenAI(
        api_key=spec.api_key or _NO_KEY,
        base_url=spec.base_url or OPENAI_URL,
        # Empty and omitted: unset, the SDK would take both from the environment.
        organization="",
        project="",
        default_headers=unsent,
        max_retries=0,
        timeout=http.timeout,
        http_client=http,
    )
    async with sdk:
        yield sdk


@asynccontextmanager
async def _chat_completions(spec: ClientSpec) -> AsyncIterator[BaseChatClient[Any]]:
    from agent_framework.openai import OpenAIChatCompletionClient  # noqa: PLC0415 - slow

    async with _openai_sdk(spec) as sdk:
        yield OpenAIChatCompletionClient(
            spec.model,
            async_client=sdk,
            function_invocation_configuration=function_settings(spec.max_steps),
        )


@asynccontextmanager
async def _responses(spec: ClientSpec) -> AsyncIterator[BaseChatClient[Any]]:
    from agent_framework.openai import OpenAIChatClient  # noqa: PLC0415 - slow

    async with _openai_sdk(spec) as sdk:
        yield OpenAIChatClient(
            spec.model,
            async_client=sdk,
            middleware=[ArgumentsAsText()],
            function_invocation_configuration=function_settings(spec.max_steps),
        )


@asynccontextmanager
async def _messages(spec: ClientSpec) -> AsyncIterator[BaseChatClient[Any]]:
    from agent_framework.anthropic import AnthropicClient  # noqa: PLC0415 - slow
    from anthropic import AsyncAnthropic  # noqa: PLC0415 - slow

    http = _http(spec)
    sdk = AsyncAnthropic(
        api_key=spec.api_key or _NO_KEY,
        # The SDK adds /v1 itself.
        base_url=(spec.base_url or _ANTHROPIC_URL).rstrip("/").removesuffix("/v1"),
        max_retries=0,
        timeout=http.timeout,
        http_client=http,
    )
    async with sdk:
        yield AnthropicClient(
            model=spec.model,
            anthropic_client=sdk,
            function_invocation_configuration=function_settings(spec.max_steps),
        )


@asynccontextmanager
async def _ollama(spec: ClientSpec) -> AsyncIterator[BaseChatClient[Any]]:
    import httpx  # noqa: PLC0415 - slow
    from agent_framework.ollama import OllamaChatClient  # noqa: PLC0415 - slow
    from ollama import AsyncClient  # noqa: PLC0415 - slow

    way_out = _way_out(spec, httpx)
    headers = {"Authorization": f"Bearer {spec.api_key}"} if spec.api_key else {}
    sdk = AsyncClient(
        host=(spec.base_url or _OLLAMA_URL).rstrip("/").removesuffix("/v1"),
        headers={**way_out.pop("headers", {}), **headers},
        trust_env=False,
        follow_redirects=False,
        timeout=spec.timeout_seconds,
        **way_out,
    )
    async with sdk._client:  # noqa: SLF001 - this version has no other way to close it
        yield OllamaChatClient(
            client=sdk,
            model=spec.model,
            function_invocation_configuration=function_settings(spec.max_steps),
        )


@asynccontextmanager
async def _offline(spec: ClientSpec) -> AsyncIterator[BaseChatClient[Any]]:
    yield OfflineChatClient(
        locale=spec.locale, function_invocation_configuration=function_settings(spec.max_steps)
    )


_OPENERS: dict[str, ClientFactory] = {
    Api.CHAT_COMPLETIONS: _chat_completions,
    Api.RESPONSES: _responses,
    Api.MESSAGES: _messages,
    Api.OLLAMA: _ollama,
    Api.OFFLINE: _offline,
}
