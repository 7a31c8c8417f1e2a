"""Requests of erasure, and what is hidden while it goes."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models

import tenants.constraints
import tenants.scoping


class Migration(migrations.Migration):
    dependencies = [
        ("conversations", "0007_certificates"),
        ("conversations", "0009_retention_holds"),
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
            name="customer",
            managers=[
                ("objects", django.db.models.manager.Manager()),
                ("raw", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddField(
            model_name="conversation",
            name="erased_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="customer",
            name="erased_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.CreateModel(
            name="ErasureRequest",
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
                    "source",
                    models.CharField(
                        choices=[
                            ("widget", "The person, in the chat"),
                            ("member", "A teammate"),
                            ("mail", "The person, by e-mail"),
                            ("restore", "Applied again after a restore"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("requested", "Waits for the person's confirmation"),
                            ("verified", "Confirmed"),
                            ("awaiting_approval", "Waits for a second person"),
                            ("holding_period", "Waiting period"),
                            ("held", "Parked by a legal hold"),
                            ("running", "Erasing"),
                            ("executed", "Erased, not yet proven"),
                            ("verified_clean", "Proven clean"),
                            ("certified", "Certified"),
                            ("partially_held", "Erased but for a legal hold"),
                            ("failed", "Needs your attention"),
                            ("refused", "Not carried out"),
                        ],
                        max_length=20,
                    ),
                ),
                ("subject_id", models.UUIDField(null=True)),
                ("subject", models.UUIDField()),
                ("reason", models.CharField(blank=True, max_length=300)),
                (
                    "ground",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("withdrawn", "The person took it back"),
                            ("not_confirmed", "Nobody confirmed it"),
                            ("not_the_person", "It was somebody else who asked"),
                            ("legal_duty", "The law obliges us to keep it"),
                        ],
                        max_length=20,
                    ),
                ),
                ("token_hash", models.BinaryField(max_length=32, null=True)),
                ("token_expires_at", models.DateTimeField(null=True)),
                ("due_at", models.DateTimeField()),
                ("alarmed_at", models.DateTimeField(null=True)),
                ("verified_at", models.DateTimeField(null=True)),
                ("starts_at", models.DateTimeField(null=True)),
                ("hidden_at", models.DateTimeField(null=True)),
                ("executed_at", models.DateTimeField(null=True)),
                ("proven_at", models.DateTimeField(null=True)),
                ("certified_at", models.DateTimeField(null=True)),
                ("evidence", models.JSONField(default=dict)),
                ("total", models.PositiveIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("scans", models.PositiveSmallIntegerField(default=0)),
                ("failure", models.CharField(blank=True, max_length=40)),
                ("sealed", models.BinaryField(null=True)),
                ("certificate_id", models.UUIDField(null=True)),
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
                    "asked_by",
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
            },
            managers=[
                ("raw", django.db.models.manager.Manager()),
                ("objects", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="RedactionTarget",
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
                ("label", models.CharField(max_length=60)),
                ("url", models.CharField(max_length=500)),
                ("secret", models.BinaryField()),
                ("active", models.BooleanField(default=True)),
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
            },
            managers=[
                ("raw", django.db.models.manager.Manager()),
                ("objects", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="RedactionNotice",
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
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "Under way"),
                            ("acknowledged", "Acknowledged"),
                            ("given_up", "No receipt"),
                        ],
                        default="pending",
                        max_length=15,
                    ),
                ),
                ("sealed", models.BinaryField(null=True)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("last_status", models.PositiveSmallIntegerField(null=True)),
                ("receipt_digest", models.BinaryField(max_length=32, null=True)),
                ("acknowledged_at", models.DateTimeField(null=True)),
                (
                    "request",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="conversations.erasurerequest",
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
                (
                    "target",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="conversations.redactiontarget",
                    ),
                ),
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
            name="Tombstone",
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
                ("subject", models.UUIDField()),
                ("request_id", models.UUIDField(null=True)),
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
            },
            managers=[
                ("raw", django.db.models.manager.Manager()),
                ("objects", django.db.models.manager.Manager()),
            ],
        ),
    ]
