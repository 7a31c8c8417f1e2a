"""Entries of platform staff into a tenant."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.conf import settings
from django.db import migrations, models

import tenants.constraints
import tenants.scoping

_REASONS = [
    ("support", "The tenant asked for help"),
    ("security", "A security incident"),
    ("legal", "A legal duty"),
    ("billing", "A question about the bill"),
]


class Migration(migrations.Migration):
    dependencies = [("tenants", "0007_audit_chain")]

    operations = [
        migrations.CreateModel(
            name="StaffVisit",
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
                ("reason", models.CharField(choices=_REASONS, max_length=20)),
                ("case", models.CharField(max_length=40)),
                ("until", models.DateTimeField()),
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
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "abstract": False,
                "base_manager_name": "raw",
                "default_manager_name": "objects",
                "constraints": [
                    tenants.constraints.RowSecurity(name="staff_visit_tenant"),
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at__isnull", True)),
                        fields=("tenant", "user"),
                        name="staff_visit_one_open",
                    ),
                ],
            },
            managers=[
                ("raw", django.db.models.manager.Manager()),
                ("objects", django.db.models.manager.Manager()),
            ],
        ),
    ]
