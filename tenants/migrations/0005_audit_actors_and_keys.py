"""Rules and jobs act by name; the key of the pseudonyms lies apart from the record."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models

import tenants.constraints
import tenants.scoping

_KINDS = [
    ("member", "Teammate"),
    ("customer", "Customer"),
    ("agent", "AI agent"),
    ("staff", "Platform staff"),
    ("system", "The desk itself"),
    ("rule", "Rule"),
    ("job", "Job"),
]


class Migration(migrations.Migration):
    dependencies = [("tenants", "0004_tools")]

    operations = [
        migrations.AlterField(
            model_name="auditentry",
            name="actor_kind",
            field=models.CharField(choices=_KINDS, max_length=10),
        ),
        migrations.AddField(
            model_name="auditentry",
            name="actor_code",
            field=models.CharField(blank=True, default="", max_length=40),
            preserve_default=False,
        ),
        migrations.CreateModel(
            name="AuditKey",
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
                ("secret", models.BinaryField()),
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
                    tenants.constraints.RowSecurity(name="audit_key_tenant"),
                    models.UniqueConstraint(fields=("tenant",), name="audit_key_one"),
                ],
            },
            managers=[
                ("raw", django.db.models.manager.Manager()),
                ("objects", django.db.models.manager.Manager()),
            ],
        ),
        # A key that changed would part a subject's lines: it is made once and deleted once.
        migrations.RunSQL(
            "REVOKE UPDATE, TRUNCATE ON tenants_auditkey FROM desk_app",
            "GRANT UPDATE ON tenants_auditkey TO desk_app",
        ),
    ]
