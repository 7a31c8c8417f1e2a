"""Keep people's words out of the planner's statistics: `pg_stats` would print them after erasure."""

from django.db import migrations

_COLUMNS = [
    ("conversations_message", ["text", "parts", "sources", "author_name"]),
    ("conversations_messageedit", ["text"]),
    ("conversations_note", ["text", "author_name"]),
    ("conversations_event", ["line", "by_name", "detail"]),
    ("conversations_draft", ["text"]),
    ("conversations_rating", ["comment"]),
    ("conversations_customer", ["name", "email", "attributes"]),
    ("conversations_customeridentity", ["subject"]),
    ("conversations_conversation", ["title", "dossier", "summary", "last_message_preview"]),
]


def _statements(target: str) -> list[str]:
    return [
        f'ALTER TABLE "{table}" ALTER COLUMN "{column}" SET STATISTICS {target}'
        for table, columns in _COLUMNS
        for column in columns
    ]


class Migration(migrations.Migration):
    dependencies = [("conversations", "0001_initial")]

    operations = [
        migrations.RunSQL(forward, backward)
        for forward, backward in zip(_statements("0"), _statements("-1"), strict=True)
    ]
