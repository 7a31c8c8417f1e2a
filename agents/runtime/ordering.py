"""The order of what a model is shown, with whole pairs; pure, and valid for any history."""

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import groupby

from agent_framework import Content, Message

from agents.runtime.callids import CallIds
from conversations.transcript import Row

OUTCOME_UNKNOWN = (
    "Interrupted: the outcome of this call is unknown. Do not assume that it happened, and do not"
    " repeat it without asking."
)
NOT_APPROVED = (
    "Not done: it waits for a colleague, or the request ended before one decided. Nothing happened."
)


def causal(rows: Iterable[Row]) -> list[Row]:
    """A turn's rows stand right after the last line that the turn had seen.

    What a customer wrote while the agent was thinking comes after the answer, not before it: else
    the model would take the answer for one that knew the later question.
    """
    return sorted(rows, key=_place)


def _place(row: Row) -> tuple[int, int, int]:
    if row.turn_id is None or row.saw_seq is None:
        return (row.seq, 0, row.seq)
    return (row.saw_seq, 1, row.seq)


def pair(messages: Sequence[Message], *, pending: Collection[str] = ()) -> list[Message]:
    """The same talk with every tool call followed at once by its result, as protocols demand.

    A call whose result stands further down moves down to it. A call without any gets the result
    "outcome unknown". A result without a call goes. Batches named in `pending` (ids of open
    approval requests) stay as they are, because the framework resumes them.
    """
    if not any(c.type in _TO_HEAL for message in messages for c in message.contents):
        return list(messages)  # words alone, as most windows are: nothing can be torn apart
    waiting = frozenset(pending)
    at: dict[int, list[Message]] = {}
    ids = CallIds(taken=_reserved(messages, waiting))
    decided = _decided(messages)
    for group in _groups(messages, waiting):
        at.setdefault(group.place, []).extend(group.messages(ids, decided))
    healed: list[Message] = []
    for index, message in enumerate(messages):
        healed.extend(at.get(index, []))
        if not _calls(message):
            healed.extend(_stripped(message, waiting))
    return healed


@dataclass(eq=False)
class _Group:
    """An assistant message with calls, and the results that were found for them."""

    index: int
    message: Message
    waits: bool
    results: dict[int, Content] = field(default_factory=dict)
    places: list[int] = field(default_factory=list)

    @property
    def place(self) -> int:
        return min(self.places, default=self.index)

    def messages(self, ids: CallIds, decided: Collection[str]) -> list[Message]:
        if self.waits and not self.results:
            return [self.message]
        spoken = [c for c in self.message.contents if c.type not in _CONTROL | _TOOL]
        calls = [_renamed(call, ids.new(call.call_id or "")) for call in _calls(self.message)]
        words = OUTCOME_UNKNOWN if self._may_have_run(decided) else NOT_APPROVED
        results = [
            _renamed(self.results[position], call.call_id)
            if position in self.results
            else _without_result(call, words)
            for position, call in enumerate(calls)
        ]
        return [_copy(self.message, [*spoken, *calls]), Message("tool", results)]

    def _may_have_run(self, decided: Collection[str]) -> bool:
        requests = [c.id for c in self.message.contents if c.type == _REQUEST]
        return not requests or any(request in decided for request in requests)


_OpenCalls = dict[str, deque[tuple[_Group, int]]]
_TOOL = frozenset({"function_call", "function_result"})
_REQUEST, _DECISION = "function_approval_request", "function_approval_response"
_CONTROL = frozenset({_REQUEST, _DECISION})
_TO_HEAL = _TOOL | _CONTROL


def _groups(messages: Sequence[Message], pending: frozenset[str]) -> list[_Group]:
    groups: list[_Group] = []
    open_calls: _OpenCalls = {}
    for index, message in enumerate(messages):
        group = _Group(index, message, waits=_waits(message, pending))
        calls = 0
        for content in message.contents:
            if content.type == "function_result":
                _answer(open_calls, content, index)
            elif content.type == "function_call":
                for key in _keys(content):
                    open_calls.setdefault(key, deque()).append((group, calls))
                calls += 1
        if calls:
            groups.append(group)
    return groups


def _answer(open_calls: _OpenCalls, result: Content, index: int) -> None:
    """Gives the result to its call: by the occurrence's own id, else the newest with its name.

    Servers count call ids from zero in every answer, so an older open call of the same name was
    abandoned.
    """
    for key in _keys(result):
        waiting = open_calls.get(key, deque())
        while waiting:
            group, position = _take(waiting)
            if position not in group.results:
                group.results[position] = result
                group.places.append(index)
                return


def _take(waiting: deque[tuple[_Group, int]]) -> tuple[_Group, int]:
    newest = waiting[-1][0]
    index = next(i for i, (group, _) in enumerate(waiting) if group is newest)
    found = waiting[index]
    del waiting[index]
    return found


def _keys(content: Content) -> list[str]:
    keys = [f"id {content.id}"] if content.id else []
    return [*keys, f"call {content.call_id}"] if content.call_id else keys


def _calls(message: Message) -> list[Content]:
    return [content for content in message.contents if content.type == "function_call"]


def _waits(message: Message, pending: frozenset[str]) -> bool:
    return any(c.type == _REQUEST and c.id in pending for c in message.contents)


def _decided(messages: Iterable[Message]) -> set[str]:
    contents = (content for message in messages for content in message.contents)
    return {str(content.id) for content in contents if content.type == _DECISION}


def _reserved(messages: Iterable[Message], pending: frozenset[str]) -> set[str]:
    """Ids of calls that stay as they are, because the framework answers them by those."""
    waiting = (call for message in messages if _waits(message, pending) for call in _calls(message))
    return {call.call_id for call in waiting if call.call_id}


def _renamed(content: Content, call_id: str | None) -> Content:
    if content.call_id == call_id:
        return content
    renamed = copy(content)
    renamed.call_id = call_id
    return renamed


def _without_result(call: Content, words: str) -> Content:
    return Content.from_function_result(call.call_id or "", id=call.id, result=words)


def _stripped(message: Message, pending: frozenset[str]) -> list[Message]:
    """The message without results of no call and without decisions on nothing that is open."""
    kept = [c for c in message.contents if not _is_stray(c, pending)]
    if len(kept) == len(message.contents):
        return [message]
    return [_copy(message, kept)] if kept else []


def _is_stray(content: Content, pending: frozenset[str]) -> bool:
    if content.type in _CONTROL:
        return content.id not in pending
    return content.type == "function_result"


def _copy(message: Message, contents: list[Content]) -> Message:
    return Message(message.role, contents)


def unanswered(messages: Sequence[Message]) -> list[str]:
    """The customer's lines after the last answer, oldest first."""
    runs = [(role, list(group)) for role, group in groupby(messages, key=lambda m: m.role)]
    lines = [message.text for role, group in runs[-1:] if role == "user" for message in group]
    return [line for line in lines if line.strip()]
