"""Pages about people, keys and the record of who did what."""

from django.urls import path

from tenants.console import audit, doors, keys, members, settings

app_name = "tenants"

door_urls = [
    path("", doors.home, name="home"),
    path("login/", doors.login, name="login"),
    path("logout/", doors.logout, name="logout"),
    path("invitations/<str:token>/", doors.invitation, name="invitation"),
]

# /t/<tenant>/team/
member_urls = [
    path("t/<slug:tenant>/team/", members.members, name="members"),
    path("t/<slug:tenant>/team/invite/", members.invite, name="invite"),
    path("t/<slug:tenant>/team/<uuid:member_id>/role/", members.change_role, name="change-role"),
    path("t/<slug:tenant>/team/<uuid:member_id>/remove/", members.remove, name="remove-member"),
    path(
        "t/<slug:tenant>/team/invitations/<uuid:invitation_id>/take-back/",
        members.take_back,
        name="take-back-invitation",
    ),
]

# /t/<tenant>/keys/
key_urls = [
    path("t/<slug:tenant>/keys/", keys.widget_keys, name="widget-keys"),
    path("t/<slug:tenant>/keys/add/", keys.add_widget_key, name="add-widget-key"),
    path("t/<slug:tenant>/keys/<uuid:key_id>/", keys.widget_key, name="widget-key"),
    path("t/<slug:tenant>/keys/<uuid:key_id>/rotate/", keys.rotate_secret, name="rotate-secret"),
    path("t/<slug:tenant>/api-keys/", keys.api_keys, name="api-keys"),
    path("t/<slug:tenant>/api-keys/add/", keys.add_api_key, name="add-api-key"),
    path(
        "t/<slug:tenant>/api-keys/<uuid:key_id>/revoke/", keys.revoke_api_key, name="revoke-api-key"
    ),
]

audit_urls = [
    path("t/<slug:tenant>/audit/", audit.audit, name="audit"),
    path("t/<slug:tenant>/audit/visits/<uuid:visit_id>/end/", audit.end_visit, name="end-visit"),
    path("t/<slug:tenant>/audit/export/", audit.export_audit, name="export-audit"),
]

setting_urls = [path("t/<slug:tenant>/settings/", settings.settings, name="settings")]

urlpatterns = door_urls + member_urls + key_urls + audit_urls + setting_urls
