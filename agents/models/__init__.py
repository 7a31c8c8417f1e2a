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
    StrayId,
)
from agents.models.service_history import ServiceHistory
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
    "Passage",
    "ReplyDraft",
    "ServiceHistory",
    "StrayId",
    "ToolCall",
    "ToolSetting",
    "Turn",
    "TurnState",
]
