from agents.models.calls import Approval, ModelCall, ToolCall
from agents.models.profile import AgentProfile, Api, ModelEndpoint
from agents.models.turn import TRANSITIONS, Turn, TurnState

__all__ = [
    "TRANSITIONS",
    "AgentProfile",
    "Api",
    "Approval",
    "ModelCall",
    "ModelEndpoint",
    "ToolCall",
    "Turn",
    "TurnState",
]
