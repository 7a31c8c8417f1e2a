"""As in 0022: keep words out of the planner's statistics, in the tables that have come since."""

from django.db import migrations

_COLUMNS = [
    ("agents_approval", "measured"),
    ("conversations_exportpart", "name"),
    ("conversations_exportpart", "sealed"),
    ("conversations_exportrequest", "cursor"),
    ("conversations_exportrequest", "key_encrypted"),
    ("tenants_staffvisit", "case"),
]


def _statement(table: str, column: str, target: int) -> str:
    return f'ALTER TABLE "{table}" ALTER COLUMN "{column}" SET STATISTICS {target}'


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0026_retention_walls"),
        ("conversations", "0016_retention_walls"),
        ("tenants", "0012_audit_guards"),
    ]

    operations = [
        migrations.RunSQL(_statement(*column, 0), _statement(*column, -1)) for column in _COLUMNS
    ]
