"""What the agent did goes many rows at a time too: one look a statement. See conversations 0013."""

from django.db import migrations

_BOUND = {"turn": "talk", "approval": "talk", "toolcall": "turn"}
_FORWARD = "".join(
    f"DROP TRIGGER legal_hold ON agents_{table};"
    f"CREATE TRIGGER legal_hold AFTER DELETE ON agents_{table}"
    " REFERENCING OLD TABLE AS gone FOR EACH STATEMENT"
    f" EXECUTE FUNCTION legal_hold_wall('{bound}');"
    for table, bound in _BOUND.items()
)
_REVERSE = "".join(
    f"DROP TRIGGER legal_hold ON agents_{table};"
    f"CREATE TRIGGER legal_hold BEFORE DELETE ON agents_{table}"
    f" FOR EACH ROW EXECUTE FUNCTION legal_hold_guard('{bound}');"
    for table, bound in _BOUND.items()
)


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0025_gaps_service_history"),
        ("conversations", "0016_retention_walls"),
    ]

    operations = [migrations.RunSQL(_FORWARD, _REVERSE)]
