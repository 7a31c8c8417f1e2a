"""Pages about the agent: its knowledge, its work, what it costs."""

from django.urls import path

from agents.console import approval_views as approvals
from agents.console import knowledge_views as knowledge
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

usage_urls = [path("t/<slug:tenant>/usage/", usage.usage, name="usage")]

urlpatterns = knowledge_urls + turn_urls + approval_urls + tool_urls + usage_urls
