"""Addresses of conversations and customers, below /api/v1/."""

from django.urls import path

from conversations.api import (
    file_views,
    merge_views,
    people_views,
    privacy_certificate_views,
    privacy_hold_views,
    streams,
    views,
)
from conversations.api import privacy_erasure_views as erasures
from conversations.api import privacy_export_views as export_views
from conversations.api import privacy_retention_views as retention
from conversations.api import privacy_run_views as run_views

app_name = "conversations_api"

_ONE = "conversations/<uuid:conversation_id>"
_POLICY = "privacy/policies/<uuid:policy_id>"
_ERASURE = "privacy/erasures/<uuid:erasure_id>"

urlpatterns = [
    path("conversations", views.ConversationsView.as_view(), name="conversations"),
    path(_ONE, views.ConversationView.as_view(), name="conversation"),
    path(f"{_ONE}/messages", views.MessagesView.as_view(), name="messages"),
    path(f"{_ONE}/notes", views.NotesView.as_view(), name="notes"),
    path(f"{_ONE}/events", views.EventsView.as_view(), name="events"),
    path(f"{_ONE}/replies", views.RepliesView.as_view(), name="replies"),
    path(f"{_ONE}/take-over", views.TakeOverView.as_view(), name="take-over"),
    path(f"{_ONE}/hand-back", views.HandBackView.as_view(), name="hand-back"),
    path(f"{_ONE}/resolve", views.ResolveView.as_view(), name="resolve"),
    path(f"{_ONE}/reopen", views.ReopenView.as_view(), name="reopen"),
    path(f"{_ONE}/snooze", views.SnoozeView.as_view(), name="snooze"),
    path(f"{_ONE}/stream", streams.conversation, name="stream"),
    path("attachments", file_views.FilesView.as_view(), name="files"),
    path("attachments/<uuid:file_id>", file_views.FileView.as_view(), name="file"),
    path(
        "attachments/<uuid:file_id>/redact",
        file_views.RedactFileView.as_view(),
        name="redact-file",
    ),
    path("stream", streams.inbox, name="inbox-stream"),
    path("messages/<uuid:message_id>", people_views.MessageView.as_view(), name="message"),
    path("messages/<uuid:message_id>/redact", people_views.RedactView.as_view(), name="redact"),
    path("messages/<uuid:message_id>/fork", people_views.ForkView.as_view(), name="fork"),
    path(
        "privacy/certificates/<uuid:certificate_id>",
        privacy_certificate_views.CertificateView.as_view(),
        name="certificate",
    ),
    path("customers", people_views.CustomersView.as_view(), name="customers"),
    path("customers/<uuid:customer_id>", people_views.CustomerView.as_view(), name="customer"),
    path("customers/<uuid:customer_id>/merge", merge_views.MergeView.as_view(), name="merge"),
    path("customers/<uuid:customer_id>/split", merge_views.SplitView.as_view(), name="split"),
    path("merges/<uuid:merge_id>/undo", merge_views.UndoView.as_view(), name="undo-merge"),
    path("privacy/exports", export_views.ExportsView.as_view(), name="exports"),
    path("privacy/exports/<uuid:export_id>", export_views.ExportView.as_view(), name="export"),
    path(
        "privacy/exports/<uuid:export_id>/file",
        export_views.ExportFileView.as_view(),
        name="export-file",
    ),
    path("privacy/policies", retention.PoliciesView.as_view(), name="policies"),
    path(_POLICY, retention.PolicyView.as_view(), name="policy"),
    path(f"{_POLICY}/preview", retention.PreviewView.as_view(), name="preview"),
    path(f"{_POLICY}/approve", retention.SecondView.as_view(), name="second"),
    path("privacy/runs", run_views.RunsView.as_view(), name="runs"),
    path("privacy/runs/<uuid:run_id>/confirm", run_views.ConfirmRunView.as_view(), name="run"),
    path("privacy/holds", privacy_hold_views.HoldsView.as_view(), name="holds"),
    path("privacy/holds/<uuid:hold_id>", privacy_hold_views.HoldView.as_view(), name="hold"),
    path("privacy/erasures", erasures.ErasuresView.as_view(), name="erasures"),
    path(_ERASURE, erasures.ErasureView.as_view(), name="erasure"),
    path(f"{_ERASURE}/approve", erasures.ApproveView.as_view(), name="approve-erasure"),
    path(f"{_ERASURE}/refuse", erasures.RefuseView.as_view(), name="refuse-erasure"),
    path(f"{_ERASURE}/run-again", erasures.RunAgainView.as_view(), name="run-erasure-again"),
]
