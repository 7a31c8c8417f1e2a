"""What the model saw in a turn, made again from the rows and versions that the turn names."""

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from agent_framework import Content, Message
from django.utils.dateparse import parse_datetime

from agents.models import AgentProfile, Specialist, Turn
from agents.runtime.background import again
from agents.runtime.context import instructions_of
from agents.runtime.mapping import summary_message, to_messages
from agents.runtime.ordering import pair
from agents.runtime.run import Told
from agents.runtime.sources import HISTORY
from agents.runtime.tools.decorator import DeskTool, tool_named
from agents.runtime.tools.own import own_tools
from agents.runtime.tools.registry import load_tools
from agents.runtime.witness import digest, digest_of, tool_digest
from conversations import models as talks
from conversations.transcript import Row

_CHARACTERS = 4  # of one token, about


@dataclass(frozen=True)
class SeenMessage:
    """One message as it was sent, as text for people."""

    role: str
    text: str
    # Where it came from: the talk, or what the desk added to this turn alone.
    source: str = HISTORY

    @property
    def tokens(self) -> int:
        return tokens_of(self.text)


@dataclass(frozen=True)
class SeenTool:
    """A tool that was offered, and whether it reads the same today."""

    name: str
    digest: str
    same: bool
    # The specialist behind it, in the version that was asked.
    specialist: Specialist | None = None


@dataclass(frozen=True)
class Seen:
    """The first request of the turn's last attempt; `exact` when the digest says it is the same."""

    version: int
    instructions: str
    same_instructions: bool
    context: str
    messages: list[SeenMessage]
    tools: list[SeenTool]
    options: dict[str, Any]
    seqs: list[int]
    characters: int
    exact: bool
    # Lines that the provider had kept and added itself: nobody here sees how.
    kept: list[int]

    @property
    def tokens(self) -> int:
        texts = [self.instructions, self.context, *(message.text for message in self.messages)]
        return sum(map(tokens_of, texts))


def rebuild(turn: Turn) -> Seen | None:
    """None for a turn that never asked a model. Black-outs stay black: then it is not exact."""
    note = turn.seen
    if not note:
        return None
    rows = _rows(turn, note)
    messages = to_messages(rows, vendor=note["vendor"])
    messages = pair(messages, pending=note["pending"]) if note["resumes"] else pair(messages)
    messages = [*_summary(note), *messages]
    fixed, told = _fixed(turn), told_in(turn)
    return Seen(
        version=note["version"],
        instructions=fixed,
        same_instructions=digest(fixed) == note["fixed"],
        context=note["context"],
        messages=[
            *(SeenMessage("user", one.text, one.source) for one in told),
            *(SeenMessage(str(message.role), _text(message)) for message in messages),
        ],
        tools=_tools(note["tools"]),
        options=note["options"],
        seqs=note["rows"],
        characters=note["characters"],
        exact=digest_of(messages) == note["messages"] and _same(told, note.get("told", [])),
        kept=note.get("kept", []),
    )


def told_in(turn: Turn) -> list[Told]:
    """What the turn was told beside the talk, from the same rows in the words of today."""
    note = turn.seen or {}
    talk = talks.Conversation.objects.select_related("customer").get(pk=turn.conversation_id)
    found = (again(talk, one["source"], one["refs"]) for one in note.get("told", []))
    return [told for told in found if told is not None]


def _same(told: list[Told], notes: list[dict[str, Any]]) -> bool:
    return [(one.source, digest(one.text)) for one in told] == [
        (note["source"], note["digest"]) for note in notes
    ]


def messages_of(turn: Turn, *, vendor: str) -> list[Message]:
    """The talk as the turn saw it, for another model: what was open then is healed."""
    note = turn.seen
    if not note:
        return []
    whole = {**note, "rows": [*note.get("kept", []), *note["rows"]]}
    return [*_summary(note), *pair(to_messages(_rows(turn, whole), vendor=vendor))]


def _summary(note: dict[str, Any]) -> list[Message]:
    """The version that stood for the earlier lines; gone when one of those has changed."""
    summary_id = note.get("summary")
    found = talks.Summary.objects.filter(pk=summary_id).first() if summary_id else None
    return [summary_message(found.text)] if found else []


def tokens_of(text: str) -> int:
    return -(-len(text) // _CHARACTERS)


def _fixed(turn: Turn) -> str:
    profile = AgentProfile.objects.filter(pk=turn.profile_id).first() if turn.profile_id else None
    return instructions_of(profile.instructions if profile else "")


def _rows(turn: Turn, note: dict[str, Any]) -> list[Row]:
    """The lines by number, with the words that they had then."""
    of_talk = {"conversation": turn.conversation_id, "seq__in": note["rows"]}
    edits = talks.MessageEdit.objects.filter(**of_talk, created_at__gt=parse_datetime(note["at"]))
    # The newest first, so that of several edits the first one's words remain.
    words = dict(edits.order_by("-created_at", "-id").values_list("seq", "text"))
    found = {row.seq: row for row in talks.Message.objects.filter(**of_talk)}
    return [_row(found[seq], words) for seq in note["rows"] if seq in found]


def _row(message: talks.Message, words: dict[int, str]) -> Row:
    values = {name: getattr(message, name) for name in Row._fields}
    return Row(**values | {"text": words.get(message.seq, message.text)})


def _tools(notes: list[dict[str, str]]) -> list[SeenTool]:
    load_tools()
    own = own_tools([note["name"] for note in notes])
    asked = Specialist.objects.in_bulk(
        [note["specialist"] for note in notes if "specialist" in note]
    )
    return [_tool(note, tool_named(note["name"]) or own.get(note["name"]), asked) for note in notes]


def _tool(note: dict[str, str], tool: DeskTool | None, asked: dict[UUID, Specialist]) -> SeenTool:
    """The same when it reads the same, and is the same version of a specialist."""
    specialist = asked.get(UUID(note["specialist"])) if "specialist" in note else None
    same = tool is not None and tool_digest(tool.function) == note["digest"]
    if specialist is not None:
        same = same and specialist.retired_at is None
    return SeenTool(note["name"], note["digest"], same, specialist)


def _text(message: Message) -> str:
    return "\n".join(filter(None, map(_words, message.contents)))


def _words(content: Content) -> str:
    if content.type == "text":
        return content.text or ""
    if content.type == "function_call":
        arguments = content.arguments
        plain = arguments if isinstance(arguments, str) else json.dumps(arguments, default=str)
        return f"→ {content.name}({plain})"
    if content.type == "function_result":
        return f"← {content.result}"
    return f"[{content.type}]"
