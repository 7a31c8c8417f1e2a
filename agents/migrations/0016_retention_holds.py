"""What the agent did in a conversation under legal hold cannot be deleted either."""

from django.db import migrations

_TABLES = {"turn": "talk", "approval": "talk", "toolcall": "turn"}
_FORWARD = "".join(
    f"CREATE TRIGGER legal_hold BEFORE DELETE ON agents_{table}"
    f" FOR EACH ROW EXECUTE FUNCTION legal_hold_guard('{bound}');"
    for table, bound in _TABLES.items()
)
_REVERSE = "".join(f"DROP TRIGGER legal_hold ON agents_{table};" for table in _TABLES)


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0015_retention"),
        ("conversations", "0009_retention_holds"),
    ]

    operations = [migrations.RunSQL(_FORWARD, _REVERSE)]
