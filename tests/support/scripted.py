"""A chat client that plays any model from a script, and a strict check of what it is sent."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from agent_framework import (
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
)

from agents.runtime.clients import function_settings


@dataclass
class Say:
    """One answer of the model: words, calls, a pause before, a failure after `cut_after` chunks."""

    text: str = ""
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    wait: float = 0
    fail: BaseException | None = None
    cut: bool = False
    chunk: int = 7
    chunk_wait: float = 0
    finish: str | None = None
    usage: tuple[int, int] = (100, 20)


@dataclass
class Request:
    messages: list[Message]
    options: dict[str, Any]

    @property
    def text(self) -> str:
        return "\n".join(f"{m.role}: {m.text}" for m in self.messages)


class _Raw(BaseChatClient):
    OTEL_PROVIDER_NAME = "scripted"
    STORES_BY_DEFAULT = False

    def __init__(self, *, script, strict=True, **kwargs):
        super().__init__(**kwargs)
        self.script = script
        self.strict = strict
        self.requests: list[Request] = []
        self.played = 0

    def _inner_get_response(
        self,
        *,
        messages: Sequence[Message],
        stream: bool,
        options: Mapping[str, Any],
        **kwargs: Any,
    ) -> Awaitable[ChatResponse] | ResponseStream[ChatResponseUpdate, ChatResponse]:
        if self.strict:
            assert pair_faults(messages) == []
        self.requests.append(Request(list(messages), dict(options)))
        say = self._next(messages)
        self.played += 1
        if stream:
            return self._build_response_stream(_stream(say, self.played))
        return _whole(say, self.played)

    def _next(self, messages):
        if callable(self.script):
            return self.script(messages)
        return self.script[min(self.played, len(self.script) - 1)]


class ScriptedChatClient(FunctionInvocationLayer, ChatMiddlewareLayer, _Raw):
    """Plays `script`: a list of `Say` (the last one repeats) or a function of the messages."""

    def __init__(self, *script, strict=True, max_steps=8):
        played = script[0] if len(script) == 1 and callable(script[0]) else list(script)
        super().__init__(
            script=played,
            strict=strict,
            function_invocation_configuration=function_settings(max_steps),
        )

    @asynccontextmanager
    async def opened(self, _spec):
        """As a client factory."""
        yield self


def _contents(say, number):
    calls = [
        Content.from_function_call(f"call_{index}", name, arguments=arguments)
        for index, (name, arguments) in enumerate(say.calls)
    ]
    return ([Content.from_text(say.text)] if say.text else []) + calls


def _finish(say):
    return say.finish or ("tool_calls" if say.calls else "stop")


async def _whole(say, number):
    await asyncio.sleep(say.wait)
    if say.fail:
        raise say.fail
    given, made = say.usage
    return ChatResponse(
        messages=[Message("assistant", _contents(say, number))],
        usage_details={"input_token_count": given, "output_token_count": made},
        finish_reason=None if say.cut else _finish(say),
    )


async def _stream(say, number) -> AsyncIterator[ChatResponseUpdate]:
    await asyncio.sleep(say.wait)
    pieces = [say.text[i : i + say.chunk] for i in range(0, len(say.text), say.chunk)]
    for piece in pieces:
        yield ChatResponseUpdate(contents=[Content.from_text(piece)], role="assistant")
        await asyncio.sleep(say.chunk_wait)
    if say.fail:
        raise say.fail
    if say.cut:
        return
    calls = [c for c in _contents(say, number) if c.type == "function_call"]
    given, made = say.usage
    usage = Content.from_usage({"input_token_count": given, "output_token_count": made})
    yield ChatResponseUpdate(contents=[*calls, usage], role="assistant", finish_reason=_finish(say))


def pair_faults(messages: Sequence[Message]) -> list[str]:
    """What a strict server would refuse: calls and results that do not stand as neighbours."""
    faults: list[str] = []
    index = 0
    while index < len(messages):
        faults += [f"{fault} at {index}" for fault in _own_faults(messages[index])]
        calls = _ids(messages[index], "function_call")
        index += 1
        if not calls:
            continue
        results: list[str] = []
        while index < len(messages) and messages[index].role == "tool":
            results += _ids(messages[index], "function_result")
            index += 1
        if sorted(results) != sorted(calls):
            faults.append(f"calls {calls} got results {results} before {index}")
    return faults


def _ids(message: Message, kind: str) -> list[str]:
    return [content.call_id or "" for content in message.contents if content.type == kind]


def _own_faults(message: Message) -> list[str]:
    results, calls = _ids(message, "function_result"), _ids(message, "function_call")
    found = {
        "results that answer no call": message.role == "tool",
        "a result outside a tool message": bool(results) and message.role != "tool",
        "a call that the agent did not make": bool(calls) and message.role != "assistant",
        "an empty message": not message.contents,
    }
    return [fault for fault, there in found.items() if there]
