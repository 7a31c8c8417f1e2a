"""Rows of the agents get an end too, reckoned ahead by retention."""

import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0014_history_budget"),
        ("conversations", "0007_retention_expiry"),
        ("tenants", "0004_tools"),
    ]

    operations = [
        migrations.AlterModelManagers(
            name="modelcall",
            managers=[
                ("objects", django.db.models.manager.Manager()),
                ("raw", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AlterModelManagers(
            name="replydraft",
            managers=[
                ("objects", django.db.models.manager.Manager()),
                ("raw", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AlterModelManagers(
            name="toolcall",
            managers=[
                ("objects", django.db.models.manager.Manager()),
                ("raw", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddField(
            model_name="modelcall",
            name="expires_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="modelcall",
            name="expires_by",
            field=models.UUIDField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="replydraft",
            name="expires_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="replydraft",
            name="expires_by",
            field=models.UUIDField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="toolcall",
            name="expires_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="toolcall",
            name="expires_by",
            field=models.UUIDField(editable=False, null=True),
        ),
        migrations.AddIndex(
            model_name="modelcall",
            index=models.Index(
                condition=models.Q(("expires_at__isnull", False)),
                fields=["tenant", "expires_at"],
                name="model_call_expiry",
            ),
        ),
        migrations.AddIndex(
            model_name="replydraft",
            index=models.Index(
                condition=models.Q(("expires_at__isnull", False)),
                fields=["tenant", "expires_at"],
                name="reply_draft_expiry",
            ),
        ),
        migrations.AddIndex(
            model_name="toolcall",
            index=models.Index(
                condition=models.Q(("expires_at__isnull", False)),
                fields=["tenant", "expires_at"],
                name="tool_call_expiry",
            ),
        ),
    ]
