"""Requests of erasure, their states held by a trigger, and what is hidden while it goes."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models

import tenants.constraints
import tenants.scoping

# The table of allowed transitions, enforced where no code can forget it.
_GUARD = """
CREATE FUNCTION erasure_guard() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp
AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.state NOT IN ('requested', 'verified') THEN
      RAISE EXCEPTION 'erasure request % may not begin as %', NEW.id, NEW.state
        USING ERRCODE = 'check_violation';
    END IF;
  ELSIF NEW.state <> OLD.state AND (OLD.state, NEW.state) NOT IN (
    ('requested', 'refused'),
    ('requested', 'verified'),
    ('verified', 'awaiting_approval'),
    ('verified', 'held'),
    ('verified', 'holding_period'),
    ('verified', 'refused'),
    ('verified', 'running'),
    ('awaiting_approval', 'held'),
    ('awaiting_approval', 'holding_period'),
    ('awaiting_approval', 'refused'),
    ('awaiting_approval', 'running'),
    ('holding_period', 'held'),
    ('holding_period', 'refused'),
    ('holding_period', 'running'),
    ('held', 'refused'),
    ('held', 'running'),
    ('running', 'executed'),
    ('running', 'failed'),
    ('running', 'partially_held'),
    ('executed', 'failed'),
    ('executed', 'verified_clean'),
    ('verified_clean', 'certified'),
    ('partially_held', 'running'),
    ('failed', 'running')
  ) THEN
    RAISE EXCEPTION 'erasure request % may not go from % to %', OLD.id, OLD.state, NEW.state
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER erasure_guard BEFORE INSERT OR UPDATE ON conversations_erasurerequest
  FOR EACH ROW EXECUTE FUNCTION erasure_guard();
"""
_UNGUARD = """
DROP TRIGGER erasure_guard ON conversations_erasurerequest;
DROP FUNCTION erasure_guard();
"""

# `pg_stats` would print what a request said of a person after they are gone.
_COLUMNS = [
    ("conversations_erasurerequest", ["reason", "evidence", "failure"]),
    ("conversations_redactiontarget", ["url"]),
]


def _statistics(target: str) -> str:
    return ";".join(
        f'ALTER TABLE "{table}" ALTER COLUMN "{column}" SET STATISTICS {target}'
        for table, columns in _COLUMNS
        for column in columns
    )


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
        migrations.AddIndex(
            model_name="erasurerequest",
            index=models.Index(
                fields=["tenant", "-created_at", "-id"], name="erasure_request_page"
            ),
        ),
        migrations.AddIndex(
            model_name="erasurerequest",
            index=models.Index(
                condition=models.Q(("token_hash__isnull", False)),
                fields=["tenant", "token_hash"],
                name="erasure_request_token",
            ),
        ),
        migrations.AddConstraint(
            model_name="erasurerequest",
            constraint=tenants.constraints.RowSecurity(name="erasure_request_tenant"),
        ),
        migrations.AddConstraint(
            model_name="erasurerequest",
            constraint=tenants.constraints.TenantForeignKey(
                field="asked_by",
                name="erasure_request_asked_by_fk",
                on_delete="SET NULL",
                to="tenants_member",
            ),
        ),
        migrations.AddConstraint(
            model_name="erasurerequest",
            constraint=tenants.constraints.TenantForeignKey(
                field="approved_by",
                name="erasure_request_approved_by_fk",
                on_delete="SET NULL",
                to="tenants_member",
            ),
        ),
        migrations.AddConstraint(
            model_name="erasurerequest",
            constraint=models.UniqueConstraint(
                fields=("tenant", "id"), name="erasure_request_tenant_id"
            ),
        ),
        migrations.AddConstraint(
            model_name="erasurerequest",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["certified", "refused"]), _negated=True),
                fields=("tenant", "subject"),
                name="erasure_request_one_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="erasurerequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state__in", ["certified", "refused"]), _negated=True),
                    models.Q(
                        ("reason", ""),
                        ("sealed__isnull", True),
                        ("subject_id__isnull", True),
                        ("token_hash__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="erasure_request_forgets",
            ),
        ),
        migrations.AddConstraint(
            model_name="erasurerequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "certified"), _negated=True),
                    ("certificate_id__isnull", False),
                    _connector="OR",
                ),
                name="erasure_request_certified",
            ),
        ),
        migrations.AddConstraint(
            model_name="redactiontarget",
            constraint=tenants.constraints.RowSecurity(name="redaction_target_tenant"),
        ),
        migrations.AddConstraint(
            model_name="redactiontarget",
            constraint=models.UniqueConstraint(
                fields=("tenant", "id"), name="redaction_target_tenant_id"
            ),
        ),
        migrations.AddConstraint(
            model_name="redactiontarget",
            constraint=models.UniqueConstraint(
                fields=("tenant", "url"), name="redaction_target_url"
            ),
        ),
        migrations.AddConstraint(
            model_name="redactionnotice",
            constraint=tenants.constraints.RowSecurity(name="redaction_notice_tenant"),
        ),
        migrations.AddConstraint(
            model_name="redactionnotice",
            constraint=tenants.constraints.TenantForeignKey(
                field="request",
                name="redaction_notice_request_fk",
                on_delete="CASCADE",
                to="conversations_erasurerequest",
            ),
        ),
        migrations.AddConstraint(
            model_name="redactionnotice",
            constraint=tenants.constraints.TenantForeignKey(
                field="target",
                name="redaction_notice_target_fk",
                on_delete="CASCADE",
                to="conversations_redactiontarget",
            ),
        ),
        migrations.AddConstraint(
            model_name="redactionnotice",
            constraint=models.UniqueConstraint(
                fields=("tenant", "request", "target"), name="redaction_notice_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="redactionnotice",
            constraint=models.CheckConstraint(
                condition=models.Q(("state", "pending"), ("sealed__isnull", True), _connector="OR"),
                name="redaction_notice_forgets",
            ),
        ),
        migrations.AddConstraint(
            model_name="tombstone",
            constraint=tenants.constraints.RowSecurity(name="tombstone_tenant"),
        ),
        migrations.AddConstraint(
            model_name="tombstone",
            constraint=models.UniqueConstraint(
                fields=("tenant", "subject"), name="tombstone_subject"
            ),
        ),
        migrations.RunSQL(_GUARD, _UNGUARD),
        migrations.RunSQL(_statistics("0"), _statistics("-1")),
    ]
