"""The wire protocols as tests see them: an answer to play, and a body to read, in one shape."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agents.models import Api
from tests.support import recorder as wire
from tests.support.recorder import Recorder, Wire

Body = dict[str, Any]


@dataclass(frozen=True)
class Said:
    """One message of a request: who, words, images, ids of calls and of results."""

    role: str
    text: str = ""
    images: int = 0
    calls: tuple[str, ...] = ()
    results: tuple[str, ...] = ()


def play(api: str, text: str = "", call: tuple[str, str, Body] | None = None) -> Wire:
    """An answer in words, or one that calls a tool: (id, name, arguments)."""
    if api in {Api.CHAT_COMPLETIONS, Api.RESPONSES} and call:
        coded = (call[0], call[1], json.dumps(call[2]))
        return wire.response("", coded) if api == Api.RESPONSES else wire.completion("", [coded])
    if api == Api.OLLAMA:
        return wire.ollama(text, call[1:] if call else None)
    makers: dict[str, Callable[..., Wire]] = {
        Api.CHAT_COMPLETIONS: wire.completion,
        Api.RESPONSES: wire.response,
        Api.MESSAGES: wire.anthropic_message,
    }
    make = makers[api]
    return make(text, call) if call else make(text)


def base_url(api: str, server: Recorder) -> str:
    return server.url + ("/v1" if api in {Api.CHAT_COMPLETIONS, Api.RESPONSES} else "")


def read(api: str, body: Body) -> list[Said]:
    """The talk that a body carries, without the instructions."""
    return [said for said in _READERS[Api(api)](body) if said.role not in {"system", "developer"}]


def _chat(body: Body) -> list[Said]:
    return [_chat_message(message) for message in body["messages"]]


def _chat_message(message: Body) -> Said:
    calls = tuple(call["id"] for call in message.get("tool_calls") or [])
    if message["role"] == "tool":
        return Said("tool", results=(message["tool_call_id"],))
    text, images = _content(message.get("content") or "")
    return Said(message["role"], text, images, calls)


def _content(content: Any) -> tuple[str, int]:
    if isinstance(content, str):
        return content, 0
    texts = [part.get("text", "") for part in content]
    images = [part for part in content if part["type"] in {"image", "image_url", "input_image"}]
    return "".join(texts), len(images)


def _responses(body: Body) -> list[Said]:
    found: list[Said] = []
    for item in map(_responses_item, body["input"]):
        # One message of the agent stands here as an item for its words and one for each call.
        last = found[-1] if found else item
        if (
            item.role == last.role == "assistant"
            and item is not last
            and (item.calls or last.calls)
        ):
            words = last.text + item.text
            found[-1] = Said("assistant", words, 0, last.calls + item.calls)
        else:
            found.append(item)
    return found


def _responses_item(item: Body) -> Said:
    kind = item.get("type", "message")
    if kind == "function_call":
        return Said("assistant", calls=(item["call_id"],))
    if kind == "function_call_output":
        return Said("tool", results=(item["call_id"],))
    if kind == "reasoning":
        return Said("reasoning", item.get("encrypted_content") or "")
    text, images = _content(item["content"])
    return Said(item["role"], text, images)


def _messages(body: Body) -> list[Said]:
    return [_messages_message(message) for message in body["messages"]]


def _messages_message(message: Body) -> Said:
    blocks = message["content"]
    if isinstance(blocks, str):
        return Said(message["role"], blocks)
    results = tuple(block["tool_use_id"] for block in blocks if block["type"] == "tool_result")
    calls = tuple(block["id"] for block in blocks if block["type"] == "tool_use")
    text, images = _content(blocks)
    return Said("tool" if results else message["role"], text, images, calls, results)


def _ollama(body: Body) -> list[Said]:
    """This protocol names no calls: a result stands right after the message that asked for it."""
    found = []
    for number, message in enumerate(body["messages"]):
        calls = tuple(f"{number}" for _ in message.get("tool_calls") or [])
        results = (f"{number - 1}",) if message["role"] == "tool" else ()
        images = len(message.get("images") or [])
        found.append(Said(message["role"], message.get("content") or "", images, calls, results))
    return found


_READERS: dict[Api, Callable[[Body], list[Said]]] = {
    Api.CHAT_COMPLETIONS: _chat,
    Api.RESPONSES: _responses,
    Api.MESSAGES: _messages,
    Api.OLLAMA: _ollama,
}


def loose_ends(talk: list[Said]) -> list[str]:
    """Calls without a result right after them, and results without a call."""
    faults, open_calls = [], list[str]()
    for said in talk:
        if open_calls and not said.results:
            faults.append(f"no result for {open_calls}")
        for result in said.results:
            if result in open_calls:
                open_calls.remove(result)
            else:
                faults.append(f"nobody asked for {result}")
        if not said.results:
            open_calls = list(said.calls)
    return faults + ([f"no result for {open_calls}"] if open_calls else [])


def as_protocol_wants(api: str, body: Body) -> bool:
    """Arguments of a call are text in OpenAI's protocols, and an object in the others."""
    if api == Api.RESPONSES:
        calls = [item for item in body["input"] if item.get("type") == "function_call"]
        return all(isinstance(call["arguments"], str) for call in calls)
    if api == Api.MESSAGES:
        blocks = [block for m in body["messages"] for block in m["content"]]
        uses = [block for block in blocks if isinstance(block, dict) and "input" in block]
        return all(isinstance(block["input"], dict) for block in uses)
    asked = [call for m in body["messages"] for call in m.get("tool_calls") or []]
    wanted = str if api == Api.CHAT_COMPLETIONS else dict
    return all(isinstance(call["function"]["arguments"], wanted) for call in asked)
