from agents.models.budget import Budget, BudgetHold
from agents.models.calls import Approval, ModelCall, ToolCall
from agents.models.draft import ReplyDraft
from agents.models.http_tool import HttpTool
from agents.models.knowledge import Article, KnowledgeWord, Passage
from agents.models.mcp_server import McpServer
from agents.models.profile import (
    AgentDraft,
    AgentProfile,
    Api,
    History,
    ModelEndpoint,
    OneShot,
    StrayId,
    SumsUp,
)
from agents.models.service_history import ServiceHistory
from agents.models.specialist import Specialist
from agents.models.tools import ToolSetting
from agents.models.turn import TRANSITIONS, Turn, TurnState

__all__ = [
    "TRANSITIONS",
    "AgentDraft",
    "AgentProfile",
    "Api",
    "Approval",
    "Article",
    "Budget",
    "BudgetHold",
    "History",
    "HttpTool",
    "KnowledgeWord",
    "McpServer",
    "ModelCall",
    "ModelEndpoint",
    "OneShot",
    "Passage",
    "ReplyDraft",
    "ServiceHistory",
    "Specialist",
    "StrayId",
    "SumsUp",
    "ToolCall",
    "ToolSetting",
    "Turn",
    "TurnState",
]
