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

_WITH_TURN = "Erasure of the customer, or retention, together with the conversation."

register(ModelEndpoint, title="Connections to AI models", holds=NOTHING)
register(ToolSetting, title="Rules of tools", holds=NOTHING)
register(AgentProfile, title="Versions of the agent", holds=NOTHING)
register(AgentDraft, title="Unpublished settings of the agent", holds=NOTHING)
register(Budget, title="Budgets", holds=NOTHING)
register(BudgetHold, title="Reservations on a budget", holds=NOTHING)
register(HttpTool, title="Tools that call a web address", holds=NOTHING)
register(McpServer, title="Connected tool servers", holds=NOTHING)
register(Specialist, title="Specialist agents", holds=NOTHING)
register(Article, title="Knowledge articles", holds=NOTHING)
register(Passage, title="Passages of knowledge articles", holds=NOTHING)
register(KnowledgeWord, title="Words of the knowledge search", holds=NOTHING)
register(
    Turn,
    title="Answers of the AI agent, step by step",
    holds="The framework's state while an approval is pending, and a provider's error text.",
    erased_by=f"{_WITH_TURN}; retention of logs takes the error text before",
)
register(
    ReplyDraft,
    title="Answers that the agent drafted",
    holds="Unsent words of the agent to a customer.",
    erased_by=_WITH_TURN,
)
register(ModelCall, title="Requests to the AI model", holds=NOTHING, erased_by=_WITH_TURN)
register(
    ServiceHistory,
    title="References to a model provider's own copy",
    holds="The id by which a model's provider finds what it keeps of the conversation.",
    erased_by="Erasure of the customer, or retention, together with the conversation.",
)
register(
    ToolCall,
    title="Tools that the agent used",
    holds="Arguments and results of tools.",
    erased_by=_WITH_TURN,
)
register(
    Approval,
    title="Approvals of what the agent asked for",
    holds="What was asked to be done, and a teammate's comment.",
    erased_by=_WITH_TURN,
)
