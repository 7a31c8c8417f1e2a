"""The walls of erasure requests: what each row must say, states held by a trigger, no statistics."""

from django.db import migrations, models

import tenants.constraints

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
    dependencies = [("conversations", "0010_erasure")]

    operations = [
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
