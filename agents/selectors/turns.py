"""What the agent did in a conversation: turns with their model and tool calls."""

from collections import defaultdict
from dataclasses import dataclass, field
from uuid import UUID

from agents.models import ModelCall, ToolCall, Turn
from conversations.models.expiring import NOT_EXPIRED

NEWEST = 50


@dataclass(frozen=True, slots=True)
class TurnTrace:
    """A turn and what it did, in order."""

    turn: Turn
    model_calls: list[ModelCall] = field(default_factory=list)
    tool_calls: list[ToolCall] = field(default_factory=list)

    @property
    def seconds(self) -> float | None:
        """From the first claim to the end, waiting between attempts included."""
        started, finished = self.turn.started_at, self.turn.finished_at
        return (finished - started).total_seconds() if started and finished else None

    @property
    def model(self) -> str:
        """The model that was asked last."""
        return self.model_calls[-1].model if self.model_calls else ""


def turns_of(conversation_id: UUID, *, limit: int = NEWEST) -> list[TurnTrace]:
    """The newest turns, newest first, with all that they called; three statements."""
    turns = list(
        Turn.objects.filter(conversation=conversation_id).order_by("-created_at", "-id")[:limit]
    )
    return _traced(turns)


def trace_of(turn: Turn) -> TurnTrace:
    """One turn with all that it called; two statements."""
    return _traced([turn])[0]


def _traced(turns: list[Turn]) -> list[TurnTrace]:
    ids = [turn.id for turn in turns]
    models: dict[UUID | None, list[ModelCall]] = defaultdict(list)
    calls = ModelCall.objects.filter(NOT_EXPIRED, turn_id__in=ids)
    for model_call in calls.order_by("created_at", "id"):
        models[model_call.turn_id].append(model_call)
    tools: dict[UUID, list[ToolCall]] = defaultdict(list)
    for tool_call in ToolCall.objects.filter(turn__in=ids).order_by("step"):
        tools[tool_call.turn_id].append(tool_call)
    return [TurnTrace(turn, models[turn.id], tools[turn.id]) for turn in turns]
