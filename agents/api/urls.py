"""Addresses of the agent's rows, below /api/v1/."""

from django.urls import path

from agents.api import approval_views as approvals
from agents.api import budget_views as budgets
from agents.api import draft_views, views

app_name = "agents_api"

urlpatterns = [
    path("conversations/<uuid:conversation_id>/turns", views.TurnsView.as_view(), name="turns"),
    path("turns/<uuid:turn_id>/retry", views.RetryView.as_view(), name="retry-turn"),
    path("turns/<uuid:turn_id>/regenerate", views.RegenerateView.as_view(), name="regenerate-turn"),
    path(
        "conversations/<uuid:conversation_id>/draft",
        draft_views.DraftView.as_view(),
        name="draft",
    ),
    path("drafts/<uuid:draft_id>/send", draft_views.SendDraftView.as_view(), name="send-draft"),
    path(
        "drafts/<uuid:draft_id>/discard",
        draft_views.DiscardDraftView.as_view(),
        name="discard-draft",
    ),
    path("usage", views.UsageView.as_view(), name="usage"),
    path("budget", budgets.BudgetView.as_view(), name="budget"),
    path("approvals", approvals.ApprovalsView.as_view(), name="approvals"),
    path("approvals/<uuid:approval_id>/approve", approvals.ApproveView.as_view(), name="approve"),
    path("approvals/<uuid:approval_id>/reject", approvals.RejectView.as_view(), name="reject"),
    path("articles", views.ArticlesView.as_view(), name="articles"),
    path("articles/<uuid:article_id>", views.ArticleView.as_view(), name="article"),
    path("knowledge/search", views.SearchView.as_view(), name="knowledge-search"),
]
