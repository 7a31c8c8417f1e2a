"""What the agents' tables hold of people."""

from agents.models import (
    AgentDraft,
    AgentProfile,
    Approval,
    Article,
    Budget,
    BudgetHold,
    HttpTool,
    KnowledgeWord,
    McpServer,
    ModelCall,
    ModelEndpoint,
    Passage,
    ReplyDraft,
    ServiceHistory,
    Specialist,
    ToolCall,
    ToolSetting,
    Turn,
)
from tenants.personal_data import NOTHING, register

_WITH_TURN = "erasure of the customer or retention, with the conversation's turns, by key"

register(ModelEndpoint, holds=NOTHING)
register(ToolSetting, holds=NOTHING)
register(AgentProfile, holds=NOTHING)
register(AgentDraft, holds=NOTHING)
register(Budget, holds=NOTHING)
register(BudgetHold, holds=NOTHING)
register(HttpTool, holds=NOTHING)
register(McpServer, holds=NOTHING)
register(Specialist, holds=NOTHING)
register(Article, holds=NOTHING)
register(Passage, holds=NOTHING)
register(KnowledgeWord, holds=NOTHING)
register(
    Turn,
    holds="The framework's state while an approval is pending, and a provider's error text.",
    erased_by=f"{_WITH_TURN}; retention of logs takes the error text before",
)
register(ReplyDraft, holds="Unsent words of the agent to a customer.", erased_by=_WITH_TURN)
register(ModelCall, holds=NOTHING, erased_by=_WITH_TURN)
register(
    ServiceHistory,
    holds="The id by which a model's provider finds what it keeps of the conversation.",
    erased_by="erasure of the customer or retention, with the conversation, by key",
)
register(ToolCall, holds="Arguments and results of tools.", erased_by=_WITH_TURN)
register(Approval, holds="What was asked to be done, and a member's comment.", erased_by=_WITH_TURN)
