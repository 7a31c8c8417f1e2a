"""Rows get an end, reckoned ahead by retention."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("conversations", "0006_history_fork"),
        ("tenants", "0004_tools"),
    ]

    operations = [
        migrations.AlterModelManagers(
            name="conversation",
            managers=[
                ("objects", django.db.models.manager.Manager()),
                ("raw", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AlterModelManagers(
            name="draft",
            managers=[
                ("objects", django.db.models.manager.Manager()),
                ("raw", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AlterModelManagers(
            name="note",
            managers=[
                ("objects", django.db.models.manager.Manager()),
                ("raw", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddField(
            model_name="conversation",
            name="channel",
            field=models.CharField(
                choices=[("widget", "Chat widget")],
                db_default="widget",
                default="widget",
                max_length=20,
            ),
        ),
        migrations.AddField(
            model_name="conversation",
            name="expires_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="conversation",
            name="expires_by",
            field=models.UUIDField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="draft",
            name="expires_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="draft",
            name="expires_by",
            field=models.UUIDField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="note",
            name="expires_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="note",
            name="expires_by",
            field=models.UUIDField(editable=False, null=True),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(
                condition=models.Q(("expires_at__isnull", False)),
                fields=["tenant", "expires_at"],
                name="conversation_expiry",
            ),
        ),
        migrations.AddIndex(
            model_name="draft",
            index=models.Index(
                condition=models.Q(("expires_at__isnull", False)),
                fields=["tenant", "expires_at"],
                name="draft_expiry",
            ),
        ),
        migrations.AddIndex(
            model_name="note",
            index=models.Index(
                condition=models.Q(("expires_at__isnull", False)),
                fields=["tenant", "expires_at"],
                name="note_expiry",
            ),
        ),
    ]
