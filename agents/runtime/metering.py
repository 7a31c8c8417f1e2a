"""What stands around every model call, alike whether the answer streams or not."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import aclosing
from time import monotonic
from typing import Any

from agent_framework import (
    ChatContext,
    ChatMiddleware,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    ResponseStream,
)

from agents.models import Api
from agents.runtime.clients import ClientSpec
from agents.runtime.errors import CutStream, Refused, TooLong, turn_error
from agents.runtime.masking import Stream, masked, trickled
from agents.runtime.secrets import Secrets
from agents.services.usage import MeteredCall

# Here the counts come last, so they too prove that an answer is whole.
_USAGE_ENDS = frozenset({Api.CHAT_COMPLETIONS, Api.OLLAMA})


# The provider had begun to work when these came, and bills what it did without telling us.
_BROKEN_OFF = frozenset({"timeout", "cut_stream"})
_CHARACTERS = 4  # of one token, about

# No customer reads more; a model that goes on and on would fill the page and the bill.
LONGEST_ANSWER = 64_000
# The framework's mark on a refusal that a protocol tells apart from an answer.
_KIND = "model_output_kind"


class Meter(ChatMiddleware):
    """Writes down every model call as it ends: answered, failed or cancelled, streamed or not.

    What it said goes on without `secrets`. One layer does both, because each layer around a stream
    costs as much as all that is done with its pieces.
    """

    def __init__(
        self,
        spec: ClientSpec,
        calls: list[MeteredCall],
        secrets: Secrets,
        *,
        purpose: str = "answer",
        specialist: str = "",
    ) -> None:
        self._spec, self._calls, self._secrets = spec, calls, secrets
        self._purpose, self._specialist = purpose, specialist

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        started = monotonic()
        asked = _estimated(context)
        try:
            await call_next()
        except BaseException as error:
            self._book(started, {}, error, asked=asked)
            raise
        if context.stream and isinstance(context.result, ResponseStream):
            inner = context.result

            async def whole(_: object) -> ChatResponse:
                return masked(await inner.get_final_response(), self._secrets)

            context.result = ResponseStream(self._watched(inner, started, asked), finalizer=whole)
        elif isinstance(context.result, ChatResponse):
            # It came in one piece, so it is whole even where no reason stands.
            self._settle_whole(started, masked(context.result, self._secrets))

    def _settle_whole(self, started: float, answer: ChatResponse) -> None:
        contents = [content for message in answer.messages for content in message.contents]
        try:
            _refuse(contents, len(answer.text))
        except (Refused, TooLong) as error:
            self._book(started, dict(answer.usage_details or {}), error)
            raise
        self._settle(started, answer.usage_details, answer.finish_reason or "stop")

    async def _watched(
        self, stream: Stream, started: float, asked: int
    ) -> AsyncIterator[ChatResponseUpdate]:
        usage: dict[str, Any] = {}
        reason: str | None = None
        said = 0
        try:
            async with aclosing(trickled(stream, self._secrets)) as pieces:
                async for update in pieces:
                    reason = update.finish_reason or reason
                    said += len(update.text)
                    _refuse(update.contents, said)
                    _collect(usage, update, adds_up=self._spec.api == Api.MESSAGES)
                    yield update
        except BaseException as error:
            self._book(started, usage, error, asked=asked, said=said)
            raise
        self._settle(started, usage, reason, asked=asked, said=said)

    def _settle(
        self, started: float, usage: Any, reason: str | None, *, asked: int = 0, said: int = 0
    ) -> None:
        """Books the call; raises before a tool of a half-received answer can run."""
        error: Exception | None = None
        if reason is None and not (usage and self._spec.api in _USAGE_ENDS):
            error = CutStream("The model's answer stopped before it was finished.")
        elif reason == "content_filter":
            error = Refused("The provider's content filter stopped the answer.")
        self._book(started, usage or {}, error, asked=asked, said=said)
        if error is not None:
            raise error

    def _book(
        self,
        started: float,
        usage: dict[str, Any],
        error: BaseException | None,
        *,
        asked: int = 0,
        said: int = 0,
    ) -> None:
        spec, outcome, code = self._spec, "ok", ""
        if isinstance(error, asyncio.CancelledError | GeneratorExit):
            outcome = "cancelled"
        elif error is not None:
            outcome, code = "error", turn_error(error).code
        estimated = not usage and (outcome == "cancelled" or code in _BROKEN_OFF)
        if estimated:
            usage = {"input_token_count": asked, "output_token_count": said // _CHARACTERS}
        self._calls.append(
            MeteredCall(
                purpose=self._purpose,
                specialist=self._specialist,
                api=spec.api,
                model=spec.model,
                **normalised(usage),
                duration_ms=round((monotonic() - started) * 1000),
                outcome=outcome,
                error_code=code,
                input_price=spec.input_price,
                output_price=spec.output_price,
                currency=spec.currency,
                estimated=estimated,
            )
        )


def _estimated(context: ChatContext) -> int:
    """About how many tokens the request has, for when the provider never says."""
    return characters_of(context) // _CHARACTERS


def characters_of(context: ChatContext) -> int:
    """Those of the talk and of the instructions."""
    contents = (content for message in context.messages for content in message.contents)
    instructions = str((context.options or {}).get("instructions") or "")
    return sum(map(_length, contents)) + len(instructions)


def _length(content: Content) -> int:
    shown = (content.text, content.arguments, content.result)
    return sum(len(str(part)) for part in shown if part)


def _refuse(contents: Iterable[Content], said: int) -> None:
    """Before a customer sees a word of it: a refusal is the provider's text and not the agent's."""
    for content in contents:
        if content.additional_properties.get(_KIND) == "refusal":
            raise Refused("The model refused to answer.")
    if said > LONGEST_ANSWER:
        raise TooLong(f"The model wrote more than {LONGEST_ANSWER:,} characters.")


def _collect(usage: dict[str, Any], update: ChatResponseUpdate, *, adds_up: bool) -> None:
    """Counts of one call.

    The Messages client gives increments, all others the totals so far, and some servers repeat
    those in every chunk.
    """
    for content in update.contents:
        for key, value in (content.usage_details or {}).items() if content.type == "usage" else ():
            if isinstance(value, int):
                before = usage.get(key, 0)
                usage[key] = before + value if adds_up else max(before, value)


def normalised(usage: Any) -> dict[str, int]:
    """The framework's six keys as our four counters; a missing total is no error."""
    found = {key: value for key, value in dict(usage or {}).items() if isinstance(value, int)}
    read = found.get("cache_read_input_token_count", 0)
    written = found.get("cache_creation_input_token_count", 0)
    total = found.get("total_token_count", 0)
    output = found.get("output_token_count", 0)
    return {
        "input_tokens": found.get("input_token_count", max(total - output, 0)),
        "output_tokens": output,
        "cached_tokens": read + written,
        "reasoning_tokens": found.get("reasoning_output_token_count", 0),
    }
