"""Addresses of the widget API, below /widget/v1/."""

from django.urls import path

from conversations.widget import export_views, file_views, views

app_name = "widget"

urlpatterns = [
    path("sessions", views.SessionsView.as_view(), name="sessions"),
    path("conversations", views.ConversationsView.as_view(), name="conversations"),
    path(
        "conversations/<uuid:conversation_id>/messages",
        views.MessagesView.as_view(),
        name="messages",
    ),
    path("conversations/<uuid:conversation_id>/stream", views.stream, name="stream"),
    path("conversations/<uuid:conversation_id>/person", views.PersonView.as_view(), name="person"),
    path("conversations/<uuid:conversation_id>/rating", views.RatingView.as_view(), name="rating"),
    path("attachments", file_views.FilesView.as_view(), name="files"),
    path("attachments/<uuid:file_id>", file_views.FileView.as_view(), name="file"),
    path("privacy-requests", views.PrivacyRequestsView.as_view(), name="privacy-requests"),
    path("exports", export_views.OwnExportsView.as_view(), name="exports"),
    path(
        "exports/<uuid:export_id>/file",
        export_views.OwnExportFileView.as_view(),
        name="export-file",
    ),
]
