"""A tenant's standing rules for tools."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models

import tenants.constraints
import tenants.scoping


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0007_settings"),
        ("tenants", "0004_tools"),
    ]

    operations = [
        migrations.CreateModel(
            name="ToolSetting",
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
                ("tool", models.CharField(max_length=60)),
                ("enabled", models.BooleanField(default=True)),
                (
                    "approval",
                    models.CharField(
                        choices=[
                            ("default", "As the tool says"),
                            ("always", "Always ask"),
                            ("never", "Never ask"),
                            ("above", "Ask above an amount"),
                        ],
                        default="default",
                        max_length=10,
                    ),
                ),
                ("threshold_argument", models.CharField(blank=True, max_length=60)),
                ("threshold", models.DecimalField(decimal_places=2, max_digits=14, null=True)),
                ("needs_verified", models.BooleanField(default=False)),
                ("per_turn", models.PositiveSmallIntegerField(null=True)),
                ("per_day", models.PositiveIntegerField(null=True)),
            ],
            options={
                "abstract": False,
                "base_manager_name": "raw",
                "default_manager_name": "objects",
            },
            managers=[
                ("raw", django.db.models.manager.Manager()),
                ("objects", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddIndex(
            model_name="toolcall",
            index=models.Index(fields=["tenant", "name", "created_at"], name="tool_call_of_day"),
        ),
        migrations.AddField(
            model_name="toolsetting",
            name="tenant",
            field=models.ForeignKey(
                db_index=False,
                editable=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tenants.tenant",
            ),
        ),
        migrations.AddConstraint(
            model_name="toolsetting",
            constraint=tenants.constraints.RowSecurity(name="tool_setting_tenant"),
        ),
        migrations.AddConstraint(
            model_name="toolsetting",
            constraint=models.UniqueConstraint(fields=("tenant", "tool"), name="tool_setting_of"),
        ),
        migrations.AddConstraint(
            model_name="toolsetting",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("approval", "above"), _negated=True),
                    models.Q(
                        ("threshold__gte", 0), models.Q(("threshold_argument", ""), _negated=True)
                    ),
                    _connector="OR",
                ),
                name="tool_setting_threshold",
            ),
        ),
    ]
