"""Takes secrets out of what a model says before anybody reads, does or stores it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from copy import copy
from dataclasses import replace
from typing import Any

from agent_framework import (
    ChatContext,
    ChatMiddleware,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    ResponseStream,
)

from agents.runtime.secrets import Secrets, Trickle
from conversations.transcript import NewRow

_Stream = ResponseStream[ChatResponseUpdate, ChatResponse]
_REASONING = "text_reasoning"


class Masking(ChatMiddleware):
    """Words and the arguments of calls, alike whether the answer streams or not.

    A call is carried out with what is left of its arguments: no tool sends a key out because a text
    asked the model to.
    """

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        await call_next()
        if context.stream and isinstance(context.result, ResponseStream):
            inner = context.result

            async def whole(_: object) -> ChatResponse:
                return self._masked(await inner.get_final_response())

            context.result = ResponseStream(self._trickled(inner), finalizer=whole)
        elif isinstance(context.result, ChatResponse):
            self._masked(context.result)

    def _masked(self, response: ChatResponse) -> ChatResponse:
        for message in response.messages:
            message.contents = [self._without(content) for content in message.contents]
        return response

    def _without(self, content: Content) -> Content:
        if content.type == "text":
            return _with(content, text=self._secrets.masked(content.text or ""))
        if content.type == "function_call":
            return _with(content, arguments=self._secrets.plain(content.arguments))
        return content

    async def _trickled(self, stream: _Stream) -> AsyncIterator[ChatResponseUpdate]:
        """Before a call and at the end nothing of the words is held back any more."""
        trickle, last = Trickle(self._secrets), None
        try:
            async for update in stream:
                spoken = any(content.type == "text" for content in update.contents)
                if last is not None and any(c.type == "function_call" for c in update.contents):
                    for rest in _rest(trickle, last):
                        yield rest
                if spoken:
                    last = update
                yield _through(trickle, update) if spoken else update
        except GeneratorExit:
            await stream.close()
            raise
        if last is not None:
            for rest in _rest(trickle, last):
                yield rest


def _through(trickle: Trickle, update: ChatResponseUpdate) -> ChatResponseUpdate:
    contents = [
        _with(content, text=_piece(trickle, content)) if content.type == "text" else content
        for content in update.contents
    ]
    if all(one is other for one, other in zip(contents, update.contents, strict=True)):
        return update
    masked = copy(update)
    masked.contents = contents
    return masked


def _piece(trickle: Trickle, content: Content) -> str:
    """What is held back takes no part in a text that is said as a whole once more."""
    if content.merge_mode == "replace":
        return trickle.whole(content.text or "")
    return trickle.add(content.text or "")


def _rest(trickle: Trickle, last: ChatResponseUpdate) -> list[ChatResponseUpdate]:
    """What was held back, as another piece of the same message."""
    held = trickle.rest()
    if not held:
        return []
    piece = copy(last)
    piece.contents = [Content.from_text(held)]
    return [piece]


def _with(content: Content, **values: Any) -> Content:
    if all(getattr(content, name) == value for name, value in values.items()):
        return content
    changed = copy(content)
    for name, value in values.items():
        setattr(changed, name, value)
    return changed


def masked_row(row: NewRow, secrets: Secrets) -> NewRow:
    """The last gate before storage: the pieces of a streamed call are whole only here.

    Thoughts are sealed by their maker and cannot be changed: with a secret in them they go.
    """
    parts = [_part(part, secrets) for part in row.parts or [] if not _gives_away(part, secrets)]
    return replace(row, text=secrets.masked(row.text), parts=parts or None)


def _gives_away(part: dict[str, Any], secrets: Secrets) -> bool:
    words = str(part.get("text") or "")
    return part.get("type") == _REASONING and secrets.masked(words) != words


def _part(part: dict[str, Any], secrets: Secrets) -> dict[str, Any]:
    """Words and arguments only: ids and sealed data look like keys and must stay."""
    said = [key for key in ("text", "arguments") if key in part]
    masked: dict[str, Any] = {key: secrets.plain(part[key]) for key in said}
    if isinstance(part.get("function_call"), dict):
        masked["function_call"] = _part(part["function_call"], secrets)
    return {**part, **masked}
