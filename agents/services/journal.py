"""The journal of tool calls: what a retry finds of the attempts before it."""

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from typing import Any
from uuid import UUID

from django.db.models import Max

from agents.models import ToolCall, Turn, TurnState


class Verdict(Enum):
    """What to do about a call."""

    RUN = "run"
    # Done before, with the same arguments: its result stands.
    REPLAY = "replay"
    # Begun before and never finished: nobody knows whether it happened.
    UNKNOWN = "unknown"
    # Done before with other arguments: the model must decide with that in mind.
    DONE_OTHERWISE = "done_otherwise"


@dataclass(frozen=True)
class Step:
    """A row of the journal and the verdict on it."""

    id: UUID
    number: int
    verdict: Verdict
    result: str
    arguments: dict[str, Any]


def is_held(turn_id: UUID, *, fence: int) -> bool:
    """Whether whoever has this fence may still act for the turn."""
    return Turn.objects.filter(id=turn_id, fence=fence, state=TurnState.RUNNING).exists()


def begin_call(
    turn_id: UUID, *, name: str, arguments: dict[str, Any], repeatable: bool, seen: Collection[UUID]
) -> Step:
    """Finds or opens the step of this call; `seen` are the steps that this attempt met already.

    A call that is not repeatable runs once in a turn, whatever happens to the attempts: the row
    stands before the side effect does.
    """
    digest = _digest(arguments)
    earlier = list(
        ToolCall.stored.filter(turn_id=turn_id, name=name).exclude(id__in=seen).order_by("step")
    )
    same = [row for row in earlier if bytes(row.arguments_digest) == digest]
    if repeatable:
        row = same[0] if same else _open(turn_id, name, arguments, digest)
        return _restart(row)
    if same:
        return _again(same[0])
    unfinished = [row for row in earlier if row.state == ToolCall.State.STARTED]
    if unfinished:
        return _step(unfinished[0], Verdict.UNKNOWN)
    if earlier and earlier[0].state == ToolCall.State.FINISHED:
        return _step(earlier[0], Verdict.DONE_OTHERWISE)
    return _step(_open(turn_id, name, arguments, digest), Verdict.RUN)


def finish_call(step_id: UUID, *, result: str, duration_ms: int, failed: bool) -> None:
    state = ToolCall.State.FAILED if failed else ToolCall.State.FINISHED
    ToolCall.stored.filter(id=step_id).update(result=result, duration_ms=duration_ms, state=state)


def _again(row: ToolCall) -> Step:
    if row.state == ToolCall.State.FAILED:
        return _restart(row)
    finished = row.state == ToolCall.State.FINISHED
    return _step(row, Verdict.REPLAY if finished else Verdict.UNKNOWN)


def _open(turn_id: UUID, name: str, arguments: dict[str, Any], digest: bytes) -> ToolCall:
    last = ToolCall.stored.filter(turn_id=turn_id).aggregate(last=Max("step"))["last"] or 0
    return ToolCall.objects.create(
        turn_id=turn_id, step=last + 1, name=name, arguments=arguments, arguments_digest=digest
    )


def _restart(row: ToolCall) -> Step:
    if row.state != ToolCall.State.STARTED:
        row.state = ToolCall.State.STARTED
        row.save(update_fields=["state"])
    return _step(row, Verdict.RUN)


def _step(row: ToolCall, verdict: Verdict) -> Step:
    return Step(row.id, row.step, verdict, row.result, row.arguments)


def _digest(arguments: dict[str, Any]) -> bytes:
    return hashlib.sha256(json.dumps(arguments, sort_keys=True).encode()).digest()
