"""Pages about the agent: its knowledge, its work, what it costs."""

from django.urls import path

from agents.console import agent_views as agent
from agents.console import approval_views as approvals
from agents.console import budget_views as budgets
from agents.console import compare_views as compare
from agents.console import draft_views as drafts
from agents.console import endpoint_views as endpoints
from agents.console import http_tool_views as http_tools
from agents.console import knowledge_views as knowledge
from agents.console import mcp_views as mcp
from agents.console import playground_views as playground
from agents.console import seen_views as seen
from agents.console import specialist_views as specialists
from agents.console import tool_views as tools
from agents.console import turn_views as turns
from agents.console import usage_views as usage

app_name = "agents"

# /t/<tenant>/knowledge/
_KNOWLEDGE = "t/<slug:tenant>/knowledge/"
knowledge_urls = [
    path(_KNOWLEDGE, knowledge.articles, name="articles"),
    path(f"{_KNOWLEDGE}search/", knowledge.search, name="knowledge-search"),
    path(f"{_KNOWLEDGE}add/", knowledge.add_article, name="add-article"),
    path(f"{_KNOWLEDGE}preview/", knowledge.preview, name="preview-article"),
    path(f"{_KNOWLEDGE}<uuid:article_id>/", knowledge.article, name="article"),
    path(f"{_KNOWLEDGE}<uuid:article_id>/delete/", knowledge.delete_article, name="delete-article"),
]

# /t/<tenant>/conversations/<id>/turns/ and /t/<tenant>/turns/<id>/
_TALK = "t/<slug:tenant>/conversations/<uuid:conversation_id>/"
turn_urls = [
    path(f"{_TALK}turns/", turns.turns, name="turns"),
    path("t/<slug:tenant>/turns/<uuid:turn_id>/retry/", turns.retry, name="retry-turn"),
    path(
        "t/<slug:tenant>/turns/<uuid:turn_id>/compare/", compare.compare_turn, name="compare-turn"
    ),
    path("t/<slug:tenant>/turns/<uuid:turn_id>/seen/", seen.turn_seen, name="turn-seen"),
    path(
        "t/<slug:tenant>/turns/<uuid:turn_id>/regenerate/",
        turns.regenerate,
        name="regenerate-turn",
    ),
]

# /t/<tenant>/approvals/
approval_urls = [
    path(f"{_TALK}approvals/", approvals.pending_approvals, name="pending-approvals"),
    path("t/<slug:tenant>/approvals/", approvals.approvals, name="approvals"),
    path("t/<slug:tenant>/approvals/<uuid:approval_id>/", approvals.decide, name="decide"),
]

# /t/<tenant>/tools/
tool_urls = [
    path("t/<slug:tenant>/tools/", tools.tools, name="tools"),
    path("t/<slug:tenant>/tools/<str:name>/", tools.tool, name="tool"),
]

# /t/<tenant>/agent/
_AGENT = "t/<slug:tenant>/agent/"
_VERSION = f"{_AGENT}versions/<uuid:profile_id>/"
agent_urls = [
    path(_AGENT, agent.agent, name="agent"),
    path(f"{_AGENT}draft/discard/", agent.discard_draft, name="discard-draft"),
    path(f"{_AGENT}playground/", playground.playground, name="playground"),
    path(_VERSION, agent.version, name="agent-version"),
    path(f"{_VERSION}publish/", agent.republish, name="republish-agent"),
]

# /t/<tenant>/agent/tools/
_OWN_TOOLS = "t/<slug:tenant>/agent/tools/"
_OWN_TOOL = f"{_OWN_TOOLS}<uuid:tool_id>/"
http_tool_urls = [
    path(_OWN_TOOLS, http_tools.http_tools, name="http-tools"),
    path(f"{_OWN_TOOLS}add/", http_tools.add_http_tool, name="add-http-tool"),
    path(_OWN_TOOL, http_tools.http_tool, name="http-tool"),
    path(f"{_OWN_TOOL}delete/", http_tools.delete_http_tool, name="delete-http-tool"),
]

draft_urls = [
    path(f"{_TALK}draft/", drafts.draft, name="draft"),
    path(f"{_TALK}draft/ask/", drafts.ask_draft, name="ask-draft"),
    path("t/<slug:tenant>/drafts/<uuid:draft_id>/send/", drafts.send_draft, name="send-draft"),
    path(
        "t/<slug:tenant>/drafts/<uuid:draft_id>/discard/",
        drafts.discard_draft,
        name="discard-reply-draft",
    ),
]

# /t/<tenant>/agent/tools/mcp/
_SERVERS = f"{_OWN_TOOLS}mcp/"
_SERVER = f"{_SERVERS}<uuid:server_id>/"
mcp_urls = [
    path(_SERVERS, mcp.servers, name="mcp-servers"),
    path(f"{_SERVERS}add/", mcp.add_server, name="add-mcp-server"),
    path(_SERVER, mcp.server, name="mcp-server"),
    path(f"{_SERVER}read/", mcp.read_tools, name="read-mcp-tools"),
    path(f"{_SERVER}delete/", mcp.delete_server, name="delete-mcp-server"),
]

# /t/<tenant>/agent/specialists/
_SPECIALISTS = f"{_AGENT}specialists/"
_SPECIALIST = f"{_SPECIALISTS}<uuid:specialist_id>/"
specialist_urls = [
    path(_SPECIALISTS, specialists.specialists, name="specialists"),
    path(f"{_SPECIALISTS}add/", specialists.add_specialist, name="add-specialist"),
    path(_SPECIALIST, specialists.specialist, name="specialist"),
    path(f"{_SPECIALIST}delete/", specialists.delete_specialist, name="delete-specialist"),
]

# /t/<tenant>/agent/endpoints/
_MODELS = "t/<slug:tenant>/agent/endpoints/"
_MODEL = f"{_MODELS}<uuid:endpoint_id>/"
endpoint_urls = [
    path(_MODELS, endpoints.endpoints, name="endpoints"),
    path(f"{_MODELS}add/", endpoints.add_endpoint, name="add-endpoint"),
    path(_MODEL, endpoints.endpoint, name="endpoint"),
    path(f"{_MODEL}test/", endpoints.test_endpoint, name="test-endpoint"),
    path(f"{_MODEL}choose/", endpoints.choose_endpoint, name="choose-endpoint"),
    path(f"{_MODEL}delete/", endpoints.delete_endpoint, name="delete-endpoint"),
]

usage_urls = [
    path("t/<slug:tenant>/usage/", usage.usage, name="usage"),
    path("t/<slug:tenant>/usage/budget/", budgets.budget, name="budget"),
    path("t/<slug:tenant>/usage/budget/notice/", budgets.budget_notice, name="budget-notice"),
]

urlpatterns = [
    *knowledge_urls,
    *turn_urls,
    *draft_urls,
    *approval_urls,
    *tool_urls,
    *agent_urls,
    *http_tool_urls,
    *mcp_urls,
    *specialist_urls,
    *endpoint_urls,
    *usage_urls,
]
