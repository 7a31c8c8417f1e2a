"""The hash chain's table, and indexes for the filters of the audit page."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models

import tenants.constraints
import tenants.scoping

_BY = {"audit_by": "actor_id", "audit_about": "target_id", "audit_did": "action"}


class Migration(migrations.Migration):
    dependencies = [("tenants", "0005_audit_actors_and_keys")]

    operations = [
        migrations.CreateModel(
            name="AuditLink",
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
                ("seq", models.BigIntegerField()),
                ("hash", models.BinaryField(max_length=32)),
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
                    tenants.constraints.RowSecurity(name="audit_link_tenant"),
                    models.UniqueConstraint(fields=("tenant", "seq"), name="audit_link_seq"),
                ],
            },
            managers=[
                ("raw", django.db.models.manager.Manager()),
                ("objects", django.db.models.manager.Manager()),
            ],
        ),
        *(
            migrations.AddIndex(
                model_name="auditentry",
                index=models.Index(fields=["tenant", field, "-created_at", "-id"], name=name),
            )
            for name, field in _BY.items()
        ),
        migrations.RunSQL(
            "REVOKE UPDATE, DELETE, TRUNCATE ON tenants_auditlink FROM desk_app",
            "GRANT UPDATE, DELETE ON tenants_auditlink TO desk_app",
        ),
    ]
