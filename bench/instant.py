"""A model that answers at once: what is left is the desk and the framework."""

from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
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
    UsageDetails,
)

from bench.raw import BODY

_USAGE = UsageDetails(input_token_count=100, output_token_count=20)


class _Raw(BaseChatClient[Any]):
    OTEL_PROVIDER_NAME = "instant"
    STORES_BY_DEFAULT = False

    def _inner_get_response(
        self,
        *,
        messages: Sequence[Message],
        stream: bool,
        options: Mapping[str, Any],
        **kwargs: Any,
    ) -> Awaitable[ChatResponse[Any]] | ResponseStream[ChatResponseUpdate, ChatResponse[Any]]:
        return self._build_response_stream(_streamed()) if stream else _whole()


class InstantClient(FunctionInvocationLayer, ChatMiddlewareLayer, _Raw):
    """Says the same 400 characters, whatever it is asked."""


async def _whole() -> ChatResponse[Any]:
    said = [Message("assistant", [BODY])]
    return ChatResponse(messages=said, usage_details=_USAGE, finish_reason="stop")


async def _streamed() -> AsyncIterator[ChatResponseUpdate]:
    pieces = [BODY[start : start + 10] for start in range(0, len(BODY), 10)]
    for piece in pieces:
        yield ChatResponseUpdate(contents=[Content.from_text(piece)], role="assistant")
    usage = Content.from_usage(_USAGE)
    yield ChatResponseUpdate(contents=[usage], role="assistant", finish_reason="stop")
