"""Certificates, and the public keys by which they are checked."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models

import tenants.constraints
import tenants.scoping

_KINDS = [
    ("erasure", "Erasure of a customer"),
    ("retention", "Retention run"),
    ("export", "Export"),
    ("tenant_end", "End of the workspace"),
]

# What was signed stays as it was; a published key is never withdrawn.
_FIXED = """
REVOKE UPDATE, TRUNCATE ON conversations_certificate FROM desk_app;
REVOKE UPDATE, DELETE, TRUNCATE ON conversations_signingkey FROM desk_app;
"""
_FIXED_REVERSE = """
GRANT UPDATE ON conversations_certificate TO desk_app;
GRANT UPDATE, DELETE ON conversations_signingkey TO desk_app;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("conversations", "0006_history_fork"),
        ("tenants", "0005_audit_actors_and_keys"),
    ]

    operations = [
        migrations.CreateModel(
            name="SigningKey",
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
                ("public_key", models.CharField(max_length=60, unique=True)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Certificate",
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
                ("kind", models.CharField(choices=_KINDS, max_length=20)),
                ("body", models.TextField()),
                ("signature", models.CharField(max_length=120)),
                ("public_key", models.CharField(max_length=60)),
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
                "indexes": [
                    models.Index(fields=["tenant", "-created_at", "-id"], name="certificate_page")
                ],
                "constraints": [
                    tenants.constraints.RowSecurity(name="certificate_tenant"),
                    models.UniqueConstraint(fields=("tenant", "id"), name="certificate_tenant_id"),
                ],
            },
            managers=[
                ("raw", django.db.models.manager.Manager()),
                ("objects", django.db.models.manager.Manager()),
            ],
        ),
        migrations.RunSQL(_FIXED, _FIXED_REVERSE),
    ]
