"""Retention policies, their rounds and reports, and legal holds."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models

import tenants.constraints
import tenants.scoping


class Migration(migrations.Migration):
    dependencies = [
        ("conversations", "0007_retention_expiry"),
        ("tenants", "0004_tools"),
    ]

    operations = [
        migrations.CreateModel(
            name="LegalHold",
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
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("customer", "Customer"),
                            ("conversation", "Conversation"),
                            ("label", "Label"),
                        ],
                        max_length=20,
                    ),
                ),
                ("subject_id", models.UUIDField()),
                ("reason", models.CharField(max_length=500)),
                ("released_at", models.DateTimeField(null=True)),
                ("ends_at", models.DateTimeField(null=True)),
                (
                    "placed_by",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="tenants.member",
                    ),
                ),
                (
                    "released_by",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="tenants.member",
                    ),
                ),
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
                    models.Index(fields=["tenant", "scope", "subject_id"], name="legal_hold_on"),
                    models.Index(fields=["tenant", "-created_at", "-id"], name="legal_hold_page"),
                ],
                "constraints": [
                    tenants.constraints.RowSecurity(name="legal_hold_tenant"),
                    tenants.constraints.TenantForeignKey(
                        field="placed_by",
                        name="legal_hold_placed_by_fk",
                        on_delete="SET NULL",
                        to="tenants_member",
                    ),
                    tenants.constraints.TenantForeignKey(
                        field="released_by",
                        name="legal_hold_released_by_fk",
                        on_delete="SET NULL",
                        to="tenants_member",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ends_at__isnull", True), ("released_at__isnull", True)),
                            models.Q(
                                ("ends_at__gte", models.F("released_at")),
                                ("released_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="legal_hold_ends_after_release",
                    ),
                ],
            },
            managers=[
                ("raw", django.db.models.manager.Manager()),
                ("objects", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="RetentionPolicy",
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
                ("name", models.CharField(max_length=80)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("messages", "Messages, with the whole conversation"),
                            ("notes", "Notes"),
                            ("model_calls", "Model calls and tool journal"),
                            ("drafts", "Drafts"),
                        ],
                        default="messages",
                        max_length=20,
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("open", "Open"),
                            ("snoozed", "Snoozed"),
                            ("resolved", "Resolved"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "channel",
                    models.CharField(
                        blank=True, choices=[("widget", "Chat widget")], max_length=20
                    ),
                ),
                ("days", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("active", "Active"), ("ended", "Ended")],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("replaces", models.UUIDField(null=True)),
                ("rows", models.PositiveIntegerField(default=0)),
                ("needs_second", models.BooleanField(default=False)),
                ("approved_at", models.DateTimeField(null=True)),
                ("starts_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "approved_by",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="tenants.member",
                    ),
                ),
                (
                    "label",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to="conversations.label",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="tenants.member",
                    ),
                ),
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
                    models.Index(fields=["tenant", "state", "-created_at"], name="retention_page")
                ],
                "constraints": [
                    tenants.constraints.RowSecurity(name="retention_policy_tenant"),
                    tenants.constraints.TenantForeignKey(
                        field="label",
                        name="retention_policy_label_fk",
                        on_delete="NO ACTION",
                        to="conversations_label",
                    ),
                    tenants.constraints.TenantForeignKey(
                        field="made_by",
                        name="retention_policy_made_by_fk",
                        on_delete="SET NULL",
                        to="tenants_member",
                    ),
                    tenants.constraints.TenantForeignKey(
                        field="approved_by",
                        name="retention_policy_approved_by_fk",
                        on_delete="SET NULL",
                        to="tenants_member",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("days__gte", 1)), name="retention_policy_at_least_a_day"
                    ),
                ],
            },
            managers=[
                ("raw", django.db.models.manager.Manager()),
                ("objects", django.db.models.manager.Manager()),
            ],
        ),
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
        migrations.CreateModel(
            name="RetentionRun",
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
                ("policy_id", models.UUIDField(null=True)),
                ("name", models.CharField(max_length=80)),
                ("days", models.PositiveIntegerField()),
                ("counts", models.JSONField(default=dict)),
                ("rows", models.PositiveIntegerField(default=0)),
                ("finished_at", models.DateTimeField(null=True)),
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
                    models.Index(fields=["tenant", "-created_at", "-id"], name="retention_run_page")
                ],
                "constraints": [
                    tenants.constraints.RowSecurity(name="retention_run_tenant"),
                    models.UniqueConstraint(
                        condition=models.Q(("finished_at__isnull", True)),
                        fields=("tenant", "policy_id"),
                        name="retention_run_one_open",
                        nulls_distinct=False,
                    ),
                ],
            },
            managers=[
                ("raw", django.db.models.manager.Manager()),
                ("objects", django.db.models.manager.Manager()),
            ],
        ),
    ]
