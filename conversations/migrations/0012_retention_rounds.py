"""How far the round of retention has come."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models

import tenants.constraints
import tenants.scoping


class Migration(migrations.Migration):
    dependencies = [
        ("conversations", "0011_insights"),
        ("tenants", "0007_audit_chain"),
    ]

    operations = [
        migrations.CreateModel(
            name="RetentionRound",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=tenants.scoping.new_id,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("place", models.PositiveSmallIntegerField(default=0)),
                ("after", models.UUIDField(null=True)),
                ("began_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "base_manager_name": "raw",
                "default_manager_name": "objects",
                "constraints": [
                    tenants.constraints.RowSecurity(name="retention_round_tenant"),
                    models.UniqueConstraint(fields=("tenant",), name="retention_round_one"),
                ],
            },
            managers=[
                ("raw", django.db.models.manager.Manager()),
                ("objects", django.db.models.manager.Manager()),
            ],
        ),
    ]
