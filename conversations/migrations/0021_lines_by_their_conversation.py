"""Messages, notes and events are tied to their tenant by the conversation's key alone."""

import django.db.models.deletion
from django.db import migrations, models


def _tenant_of(model):
    return migrations.AlterField(
        model_name=model,
        name="tenant",
        field=models.ForeignKey(
            db_constraint=False,
            db_index=False,
            editable=False,
            on_delete=django.db.models.deletion.CASCADE,
            related_name="+",
            to="tenants.tenant",
        ),
    )


class Migration(migrations.Migration):
    dependencies = [
        ("conversations", "0020_retention_logs"),
        ("tenants", "0012_audit_guards"),
    ]

    operations = [_tenant_of(model) for model in ("event", "message", "note")]
