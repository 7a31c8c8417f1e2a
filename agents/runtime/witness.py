"""Writes down, by reference, what the model is shown at the first request of an attempt."""

import json
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from typing import Any
from uuid import UUID

from agent_framework import ChatContext, ChatMiddleware, FunctionTool, Message

from agents.runtime.loop import step_out
from agents.runtime.mapping import scrub
from agents.runtime.policy import tool_of
from agents.runtime.run import STATE_KEY, Facts, Run, Told
from agents.runtime.sources import without_context
from agents.services.contract import ClaimedTurn
from agents.services.seen import note_seen
from tenants.scoping import tenant_scope

_NOT_SHOWN = frozenset({"tools", "instructions", "response_format", "conversation_id"})
_SECRET = ("key", "token", "secret", "header", "authorization", "password")
_MASK = "•••"


class Witness(ChatMiddleware):
    """Stands innermost, so that it sees what is sent; later requests add only what the tools said.

    The words of the talk are not copied: their numbers are enough to read them again. What no row
    holds (the facts of the moment) is kept as it was said.
    """

    def __init__(self, run: Run, fixed: str) -> None:
        self._run, self._fixed, self._done = run, fixed, False

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        note = self._run.note
        if note is not None and not self._done:
            self._done = True
            facts, seen = self._run.facts, self._seen(context)
            step_out(note, self._run.claimed, profile_id=facts.profile_id, seen=seen)
        await call_next()

    def _seen(self, context: ChatContext) -> dict[str, Any]:
        run, options = self._run, dict(context.options or {})
        told = str(options.get("instructions") or "")
        system, messages = parted(without_context(context.messages))
        told = "\n".join(filter(None, [told, system]))
        tools = [tool for tool in options.get("tools") or [] if isinstance(tool, FunctionTool)]
        shown = dict((context.session.state if context.session else {}).get(STATE_KEY) or {})
        seen = {
            "rows": shown.get("shown", []),
            "kept": shown.get("kept", []),
            "summary": shown.get("summary"),
            "resumes": bool(shown.get("resumes")),
            "pending": list(shown.get("pending", [])),
            "vendor": run.facts.client.vendor,
            "version": run.facts.profile_version,
            "fixed": digest(self._fixed),
            "context": told.removeprefix(self._fixed).strip(),
            "tools": [_noted(run.facts, tool) for tool in tools],
            "options": masked({k: v for k, v in options.items() if k not in _NOT_SHOWN}),
            "messages": digest_of(messages),
            "told": [_referred(one) for one in run.facts.told],
            "characters": len(told) + len(canonical(messages)) + _length(run.facts.told),
        }
        return {key: scrub(value) for key, value in seen.items()}


def _referred(told: Told) -> dict[str, Any]:
    """By its rows and its digest: words of other talks must not live on here."""
    return {"source": told.source, "refs": told.refs, "digest": digest(told.text)}


def _length(told: Sequence[Told]) -> int:
    return sum(len(one.text) for one in told)


def _noted(facts: Facts, tool: FunctionTool) -> dict[str, str]:
    """A tool by its digest, and a specialist by its version too: its own words are no copy."""
    note = {"name": tool.name, "digest": tool_digest(tool)}
    known = tool_of(facts, tool.name)
    if known is not None and known.specialist is not None:
        note["specialist"] = str(known.specialist)
    return note


def parted(messages: Sequence[Message]) -> tuple[str, list[Message]]:
    """The instructions among the messages, and the talk."""
    system = [message.text for message in messages if message.role == "system"]
    return "\n".join(system), [message for message in messages if message.role != "system"]


def canonical(messages: Sequence[Message]) -> str:
    """The same text for the same messages, whichever process made them."""
    plain = [
        [
            str(message.role),
            [c.to_dict(exclude={"raw_representation", "annotations"}) for c in message.contents],
        ]
        for message in messages
    ]
    return json.dumps(plain, sort_keys=True, ensure_ascii=False, default=str)


def digest_of(messages: Sequence[Message]) -> str:
    return digest(canonical(messages))


def digest(text: str) -> str:
    return sha256(text.encode(errors="replace")).hexdigest()


def tool_digest(tool: FunctionTool) -> str:
    """The version of a tool: name, description and arguments, as the model reads them."""
    spec = tool.to_json_schema_spec()
    return digest(json.dumps(spec, sort_keys=True, default=str))[:12]


def masked(value: Any, name: str = "") -> Any:
    """Options without secrets and as plain JSON."""
    if isinstance(value, dict):
        return {str(key): masked(item, str(key)) for key, item in value.items()}
    # `max_tokens` is no secret: a number never is.
    if isinstance(value, bool | int | float) or value is None:
        return value
    if any(word in name.lower() for word in _SECRET):
        return _MASK
    if isinstance(value, list | tuple):
        return [masked(item, name) for item in value]
    return str(value)


def keep_seen(claimed: ClaimedTurn, *, profile_id: UUID | None, seen: dict[str, Any]) -> None:
    """In a short scope of its own, before the model thinks."""
    with tenant_scope(claimed.tenant_id):
        note_seen(claimed, profile_id=profile_id, seen=seen)
