"""Keep people's words out of the planner's statistics, in every table that has come since 0002.

`pg_stats` would print them long after their rows are gone. In one migration of the topmost app,
because the tables are of all apps and of Django's own.
"""

from django.db import migrations

_COLUMNS = [
    ("agents_approval", ["arguments", "comment", "why", "call_id"]),
    ("agents_toolcall", ["arguments", "result"]),
    ("agents_turn", ["error_detail", "session_state"]),
    ("conversations_erasurerequest", ["sealed"]),
    ("conversations_legalhold", ["reason"]),
    ("conversations_redactionnotice", ["sealed"]),
    ("tenants_apikey", ["label"]),
    ("tenants_invitation", ["email"]),
    ("tenants_user", ["email", "name", "password"]),
    ("django_admin_log", ["object_id", "object_repr", "change_message"]),
    ("django_session", ["session_data"]),
]


def _statements(target: str) -> list[str]:
    return [
        f'ALTER TABLE "{table}" ALTER COLUMN "{column}" SET STATISTICS {target}'
        for table, columns in _COLUMNS
        for column in columns
    ]


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0021_crew_context"),
        ("conversations", "0011_insights"),
        ("tenants", "0007_audit_chain"),
        ("sessions", "0001_initial"),
        ("admin", "0003_logentry_add_action_flag_choices"),
    ]

    operations = [
        migrations.RunSQL(forward, backward)
        for forward, backward in zip(_statements("0"), _statements("-1"), strict=True)
    ]
