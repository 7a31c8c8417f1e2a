"""A small deterministic client that needs no key. It is no language model, and says so.

It plays the same loop as a model: a tool call for what the customer asked, then an answer that
quotes what was found and names its source. So a desk without any model still answers, truly.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from typing import Any, Literal

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
from agent_framework.observability import ChatTelemetryLayer

from agents.runtime import phrases
from agents.runtime.mapping import is_summary
from agents.runtime.ordering import unanswered
from agents.runtime.quoting import Passage, best_quote, passages_of
from agents.runtime.sources import without_context
from agents.runtime.wishes import wished

MODEL = "offline"
_SEARCH, _PERSON = "search_knowledge", "ask_for_person"
# How the framework and the policy begin what they answer for a call that did not run.
_REFUSALS = ("Error:", "Not done:", "The tool failed")
_CHUNK = re.compile(r"\S+\s*(?:\S+\s*){0,7}")
_CHARACTERS_A_TOKEN = 4


class _RawOfflineClient(BaseChatClient[Any]):
    """Decides what to say from the messages alone; the same messages give the same answer."""

    OTEL_PROVIDER_NAME = MODEL
    STORES_BY_DEFAULT = False

    def __init__(self, *, locale: str = "en", **options: Any) -> None:
        super().__init__(**options)
        self._locale = locale

    def _inner_get_response(
        self,
        *,
        messages: Sequence[Message],
        stream: bool,
        options: Mapping[str, Any],
        **kwargs: Any,
    ) -> Awaitable[ChatResponse[Any]] | ResponseStream[ChatResponseUpdate, ChatResponse[Any]]:
        contents = self._decide(messages, offered(options))
        usage = _usage(messages, contents)
        if stream:
            return self._build_response_stream(_streamed(contents, usage))
        return _answered(contents, usage)

    def _decide(self, messages: Sequence[Message], tools: set[str]) -> list[Content]:
        talk = without_context(messages)
        messages = [message for message in talk if not is_summary(message)]
        results = _results(messages)
        lines = unanswered([m for m in messages if not _is_tool_traffic(m)])
        previous = _previous(messages, len(lines))
        done = [text for name, text in results.items() if name not in {_SEARCH, _PERSON}]
        if _PERSON in results:
            phrase = phrases.NOT_FOUND if _SEARCH in results else phrases.PERSON
            return [Content.from_text(phrases.say(phrase, self._locale))]
        if _SEARCH in results:
            return self._from_knowledge(results[_SEARCH], lines, tools)
        if done:
            return [Content.from_text("\n\n".join(map(self._told, done)))]
        return self._first_step(lines, previous, _said(messages), tools)

    def _first_step(
        self, lines: list[str], previous: str, said: str, tools: set[str]
    ) -> list[Content]:
        questions = [line for line in lines if not is_courtesy(line)]
        if not questions:
            return [Content.from_text(self._courtesy(lines))]
        asked = "\n".join(questions)
        if said and phrases.WHAT_WAS_SAID.search(questions[-1]):
            colleague = phrases.say(phrases.SUPPORT_SAID, self._locale)
            return [Content.from_text(f"{colleague}:\n\n> {said}")]
        if _PERSON in tools and phrases.WANTS_PERSON.search(asked):
            return [_call(_PERSON, reason="The customer asked for a person.")]
        return self._look_it_up(questions, previous, tools)

    def _look_it_up(self, questions: list[str], previous: str, tools: set[str]) -> list[Content]:
        wish, asked = wished(questions[-1], tools), "\n".join(questions)
        if wish is not None:
            return [_call(wish[0], **wish[1])]
        if _SEARCH in tools:
            return [_call(_SEARCH, query=asked, previous=previous or None)]
        return self._not_found(asked, tools)

    def _from_knowledge(self, result: str, lines: list[str], tools: set[str]) -> list[Content]:
        found = passages_of(result)
        asked = " ".join(line for line in lines if not is_courtesy(line))
        if not found:
            return self._not_found(asked, tools)
        return [Content.from_text(self._quoted(found[0], asked))]

    def _told(self, result: str) -> str:
        """What the tool says; why something was not done is for the team."""
        failed = result.startswith(_REFUSALS)
        return phrases.say(phrases.NOT_DONE, self._locale) if failed else result

    def _quoted(self, passage: Passage, asked: str) -> str:
        source = phrases.say(phrases.SOURCE, self._locale)
        return f"{best_quote(passage, asked)}\n\n*{source}: {passage.name}*"

    def _not_found(self, asked: str, tools: set[str]) -> list[Content]:
        if _PERSON in tools:
            return [_call(_PERSON, reason=f"Nothing found about: {asked[:200]}")]
        return [Content.from_text(phrases.say(phrases.OFFER, self._locale))]

    def _courtesy(self, lines: list[str]) -> str:
        thanked = bool(lines) and phrases.THANKS.fullmatch(phrases.bare(lines[-1])) is not None
        return phrases.say(phrases.WELCOME if thanked else phrases.GREETING, self._locale)


class OfflineChatClient(
    FunctionInvocationLayer, ChatMiddlewareLayer, ChatTelemetryLayer, _RawOfflineClient
):
    """The offline client with the framework's tool loop, middleware and spans around it."""


def offered(options: Mapping[str, Any]) -> set[str]:
    """The names of the tools that this call may use."""
    choice = options.get("tool_choice")
    mode = choice.get("mode") if isinstance(choice, Mapping) else choice
    if mode == "none":
        return set()
    return {tool.name for tool in options.get("tools") or [] if hasattr(tool, "name")}


def is_courtesy(line: str) -> bool:
    words = phrases.bare(line)
    return not words or any(p.fullmatch(words) for p in (phrases.HELLO, phrases.THANKS))


def _is_tool_traffic(message: Message) -> bool:
    return message.role == "tool" or any(c.type == "function_call" for c in message.contents)


def _previous(messages: Sequence[Message], fresh: int) -> str:
    """The customer's line before the unanswered ones, for questions that lean on it."""
    lines = [m.text for m in messages if m.role == "user" and m.text.strip()]
    earlier = [line for line in lines[: len(lines) - fresh] if not is_courtesy(line)]
    return earlier[-1] if earlier else ""


def _said(messages: Sequence[Message]) -> str:
    """The last line of a person of the team, on one line."""
    spoken = [
        m.text for m in messages if m.role == "assistant" and phrases.BY_SUPPORT.match(m.text)
    ]
    return " ".join(phrases.BY_SUPPORT.sub("", spoken[-1]).split()) if spoken else ""


def _results(messages: Sequence[Message]) -> dict[str, str]:
    """The results of this round's calls by tool: what stands after the last line of the talk."""
    names: dict[str, str] = {}
    results: dict[str, str] = {}
    for message in messages:
        if not _is_tool_traffic(message):
            names, results = {}, {}
        for content in message.contents:
            if content.type == "function_call" and content.call_id:
                names[content.call_id] = content.name or ""
            elif content.type == "function_result" and content.call_id in names:
                results[names[content.call_id]] = str(content.result or "")
    return results


def _call(name: str, **arguments: Any) -> Content:
    given = {key: value for key, value in arguments.items() if value is not None}
    return Content.from_function_call(f"offline-{name}", name, arguments=given)


def _usage(messages: Sequence[Message], contents: Sequence[Content]) -> UsageDetails:
    read = sum(
        len(str(c.text or c.result or c.arguments or "")) for m in messages for c in m.contents
    )
    wrote = sum(len(str(c.text or c.arguments or "")) for c in contents)
    given, made = -(-read // _CHARACTERS_A_TOKEN), -(-wrote // _CHARACTERS_A_TOKEN)
    return UsageDetails(
        input_token_count=given, output_token_count=made, total_token_count=given + made
    )


def _reason(contents: Sequence[Content]) -> Literal["tool_calls", "stop"]:
    return "tool_calls" if any(c.type == "function_call" for c in contents) else "stop"


async def _answered(contents: list[Content], usage: UsageDetails) -> ChatResponse[Any]:
    return ChatResponse(
        messages=[Message("assistant", contents)],
        model=MODEL,
        usage_details=usage,
        finish_reason=_reason(contents),
    )


async def _streamed(
    contents: list[Content], usage: UsageDetails
) -> AsyncIterator[ChatResponseUpdate]:
    for content in contents:
        pieces = _CHUNK.findall(content.text) if content.type == "text" and content.text else []
        for piece in map(Content.from_text, pieces) if pieces else [content]:
            yield ChatResponseUpdate(contents=[piece], role="assistant", model=MODEL)
            await asyncio.sleep(0)
    yield ChatResponseUpdate(
        contents=[Content.from_usage(usage)],
        role="assistant",
        model=MODEL,
        finish_reason=_reason(contents),
    )
