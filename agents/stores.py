"""Where the agents' data of a subject lies, for erasure and retention."""

from agents.models import Approval, ModelCall, ReplyDraft, ServiceHistory, ToolCall, Turn
from conversations.models import Kind
from conversations.retained import retain, retain_log
from tenants.models import DueWork
from tenants.personal_data import Rank, register_title
from tenants.table_stores import OF_TALKS, register_table

_TURNS = "SELECT id FROM agents_turn WHERE tenant_id = %(tenant)s AND conversation_id"
_OF_TURNS = f"turn_id IN ({_TURNS} = ANY(%(talks)s))"

register_table("tool calls", ToolCall, where=_OF_TURNS, rank=Rank.LEAF)
register_table("approvals", Approval, rank=Rank.LEAF)
register_table("drafts of the agent", ReplyDraft, rank=Rank.LEAF)
# The counts of usage stay, for the tenant's bill; whose they were goes.
_NOBODYS = "conversation_id = NULL, turn_id = NULL"
register_table("model calls", ModelCall, where=OF_TALKS, rank=Rank.LEAF, change=_NOBODYS)
register_table(
    "work due for turns",
    DueWork,
    where=f"ref_id IN ({_TURNS} = ANY(%(talks)s))",
    rank=Rank.LEAF,
)
register_table("ids of answers at services", ServiceHistory)
register_table("turns", Turn)
register_title("model calls", "Requests to the AI model, made anonymous")
register_title("error texts", "Error texts of model providers")
register_title("tool_calls", "Tools that the agent used for them")
register_title("work due for turns", "Timers of the agent's answers")

retain(Kind.DRAFTS, ReplyDraft, store="drafts of the agent")
retain(Kind.MODEL_CALLS, ModelCall, store="model calls", change=_NOBODYS)
_TURN_OF_ROW = "SELECT t.conversation_id FROM agents_turn t WHERE t.tenant_id = r.tenant_id"
retain(
    Kind.MODEL_CALLS,
    ToolCall,
    store="tool calls",
    join=f"c.id = ({_TURN_OF_ROW} AND t.id = r.turn_id)",
    of_talks=f"r.{_OF_TURNS}",
)
# Providers quote in their errors what they were sent.
retain_log(
    Turn,
    store="error texts",
    since="r.finished_at",
    beside="JOIN conversations_conversation s"
    " ON s.tenant_id = r.tenant_id AND s.id = r.conversation_id",
    held="under_legal_hold(s.tenant_id, s.id)",
    ready="r.error_detail <> '' AND r.finished_at IS NOT NULL",
    change="error_detail = ''",
)
