"""Takes secrets out of what a model says before anybody reads, does or stores it."""

from collections.abc import AsyncGenerator
from copy import copy
from dataclasses import replace
from typing import Any

from agent_framework import ChatResponse, ChatResponseUpdate, Content, ResponseStream

from agents.runtime.secrets import Secrets, Trickle
from conversations.transcript import NewRow

Stream = ResponseStream[ChatResponseUpdate, ChatResponse]
_REASONING = "text_reasoning"


def masked(response: ChatResponse, secrets: Secrets) -> ChatResponse:
    """A whole answer, changed in place: its words, and the arguments of its calls.

    A call is carried out with what is left of its arguments: no tool sends a key out because a text
    asked the model to.
    """
    for message in response.messages:
        message.contents = [_without(content, secrets) for content in message.contents]
    return response


def _without(content: Content, secrets: Secrets) -> Content:
    if content.type == "text":
        return _with(content, text=secrets.masked(content.text or ""))
    if content.type == "function_call":
        return _with(content, arguments=secrets.plain(content.arguments))
    return content


async def trickled(stream: Stream, secrets: Secrets) -> AsyncGenerator[ChatResponseUpdate, None]:
    """A streamed answer with its words masked; calls are masked where they are whole, in `masked`.

    Before a call and at the end nothing of the words is held back any more.
    """
    trickle, last = Trickle(secrets), None
    try:
        async for update in stream:
            kinds = {content.type for content in update.contents}
            if last is not None and "function_call" in kinds:
                for rest in _rest(trickle, last):
                    yield rest
            if "text" not in kinds:
                yield update
                continue
            last = update
            yield _through(trickle, update)
    except GeneratorExit:
        # Abandoned by its reader, a stream does not close itself.
        await stream.close()
        raise
    if last is not None:
        for rest in _rest(trickle, last):
            yield rest


def _through(trickle: Trickle, update: ChatResponseUpdate) -> ChatResponseUpdate:
    contents = [
        _spoken(trickle, content) if content.type == "text" else content
        for content in update.contents
    ]
    if contents == update.contents:
        return update
    changed = copy(update)
    changed.contents = contents
    return changed


def _spoken(trickle: Trickle, content: Content) -> Content:
    """What is held back takes no part in a text that is said as a whole once more."""
    text = content.text or ""
    whole = content.merge_mode == "replace"
    said = trickle.whole(text) if whole else trickle.add(text)
    return content if said == text else _with(content, text=said)


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
