"""How this app's tables travel."""

from django.utils import timezone

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
    TurnState,
)
from agents.services.articles import index_again
from conversations.portability import ENDS
from tenants.portable import Ids, Values, stays, travels

_ALIVE = (TurnState.QUEUED, TurnState.RUNNING, TurnState.AWAITING_APPROVAL)


def _turn_arrives(values: Values, _: Ids) -> Values:
    """What was under way ended with the journey: nobody here has promised an answer."""
    if values["state"] not in _ALIVE:
        return values
    ended = {"state": TurnState.CANCELLED, "finished_at": timezone.now().isoformat()}
    return values | ended | {"lease_until": None, "session_state": None}


def _approval_arrives(values: Values, _: Ids) -> Values:
    if values["state"] != Approval.State.PENDING:
        return values
    return values | {"state": Approval.State.VOID}


travels(Turn, arriving=_turn_arrives, within="conversation_id")
travels(ToolCall, within="turn__conversation_id", without=ENDS)
travels(Approval, arriving=_approval_arrives, within="conversation_id")
travels(ReplyDraft, ids_in=["sources"], within="conversation_id", without=ENDS)
travels(ModelCall, without=ENDS)
# A server of the operator's own network is not one here.
travels(ModelEndpoint, without=["key_encrypted", "trusted"])
travels(AgentProfile)
travels(AgentDraft)
travels(Specialist)
travels(Budget)
travels(HttpTool, without=["headers_encrypted"])
travels(McpServer, without=["headers_encrypted"])
travels(ToolSetting)
travels(Article, arrived=index_again)
stays(BudgetHold, "What runs here at this moment.")
stays(ServiceHistory, "A shortcut at a provider; the rows are the truth.")
stays(Passage, "Made anew from the articles.")
stays(KnowledgeWord, "Made anew from the articles.")
