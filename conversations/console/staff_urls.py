"""Pages of platform staff with an open visit, below /staff/in/."""

from django.urls import path

from conversations.console import staff_views

app_name = "conversations_staff"

urlpatterns = [
    path("<slug:tenant>/", staff_views.conversations, name="conversations"),
    path("<slug:tenant>/end/", staff_views.end, name="end"),
    path("<slug:tenant>/<uuid:conversation_id>/", staff_views.conversation, name="conversation"),
]
