"""Retention policies, their runs, and legal holds."""

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
        migrations.AddField(
            model_name="legalhold",
            name="placed_by",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="tenants.member",
            ),
        ),
        migrations.AddField(
            model_name="legalhold",
            name="released_by",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="tenants.member",
            ),
        ),
        migrations.AddField(
            model_name="legalhold",
            name="tenant",
            field=models.ForeignKey(
                db_index=False,
                editable=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tenants.tenant",
            ),
        ),
        migrations.AddField(
            model_name="retentionpolicy",
            name="approved_by",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="tenants.member",
            ),
        ),
        migrations.AddField(
            model_name="retentionpolicy",
            name="label",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="+",
                to="conversations.label",
            ),
        ),
        migrations.AddField(
            model_name="retentionpolicy",
            name="made_by",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="tenants.member",
            ),
        ),
        migrations.AddField(
            model_name="retentionpolicy",
            name="tenant",
            field=models.ForeignKey(
                db_index=False,
                editable=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tenants.tenant",
            ),
        ),
        migrations.AddField(
            model_name="retentionrun",
            name="tenant",
            field=models.ForeignKey(
                db_index=False,
                editable=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tenants.tenant",
            ),
        ),
        migrations.AddIndex(
            model_name="legalhold",
            index=models.Index(fields=["tenant", "scope", "subject_id"], name="legal_hold_on"),
        ),
        migrations.AddIndex(
            model_name="legalhold",
            index=models.Index(fields=["tenant", "-created_at", "-id"], name="legal_hold_page"),
        ),
        migrations.AddConstraint(
            model_name="legalhold",
            constraint=tenants.constraints.RowSecurity(name="legal_hold_tenant"),
        ),
        migrations.AddConstraint(
            model_name="legalhold",
            constraint=tenants.constraints.TenantForeignKey(
                field="placed_by",
                name="legal_hold_placed_by_fk",
                on_delete="SET NULL",
                to="tenants_member",
            ),
        ),
        migrations.AddConstraint(
            model_name="legalhold",
            constraint=tenants.constraints.TenantForeignKey(
                field="released_by",
                name="legal_hold_released_by_fk",
                on_delete="SET NULL",
                to="tenants_member",
            ),
        ),
        migrations.AddConstraint(
            model_name="legalhold",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("ends_at__isnull", True), ("released_at__isnull", True)),
                    models.Q(
                        ("ends_at__gte", models.F("released_at")), ("released_at__isnull", False)
                    ),
                    _connector="OR",
                ),
                name="legal_hold_ends_after_release",
            ),
        ),
        migrations.AddIndex(
            model_name="retentionpolicy",
            index=models.Index(fields=["tenant", "state", "-created_at"], name="retention_page"),
        ),
        migrations.AddConstraint(
            model_name="retentionpolicy",
            constraint=tenants.constraints.RowSecurity(name="retention_policy_tenant"),
        ),
        migrations.AddConstraint(
            model_name="retentionpolicy",
            constraint=tenants.constraints.TenantForeignKey(
                field="label",
                name="retention_policy_label_fk",
                on_delete="NO ACTION",
                to="conversations_label",
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionpolicy",
            constraint=tenants.constraints.TenantForeignKey(
                field="made_by",
                name="retention_policy_made_by_fk",
                on_delete="SET NULL",
                to="tenants_member",
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionpolicy",
            constraint=tenants.constraints.TenantForeignKey(
                field="approved_by",
                name="retention_policy_approved_by_fk",
                on_delete="SET NULL",
                to="tenants_member",
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionpolicy",
            constraint=models.CheckConstraint(
                condition=models.Q(("days__gte", 1)), name="retention_policy_at_least_a_day"
            ),
        ),
        migrations.AddIndex(
            model_name="retentionrun",
            index=models.Index(fields=["tenant", "-created_at", "-id"], name="retention_run_page"),
        ),
        migrations.AddConstraint(
            model_name="retentionrun",
            constraint=tenants.constraints.RowSecurity(name="retention_run_tenant"),
        ),
        migrations.AddConstraint(
            model_name="retentionrun",
            constraint=models.UniqueConstraint(
                condition=models.Q(("finished_at__isnull", True)),
                fields=("tenant", "policy_id"),
                name="retention_run_one_open",
                nulls_distinct=False,
            ),
        ),
    ]
