"""The draft of the agent, and the promise that a published version never changes."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models

import tenants.constraints
import tenants.scoping

_FORWARD = """
CREATE FUNCTION agent_profile_guard() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp
AS $$
BEGIN
  IF to_jsonb(OLD) - 'retired_at' <> to_jsonb(NEW) - 'retired_at' THEN
    RAISE EXCEPTION 'version % of the agent is published and may not change', OLD.version
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER agent_profile_guard BEFORE UPDATE ON agents_agentprofile
  FOR EACH ROW WHEN (OLD.published_at IS NOT NULL) EXECUTE FUNCTION agent_profile_guard();
"""

_REVERSE = (
    "DROP TRIGGER agent_profile_guard ON agents_agentprofile;DROP FUNCTION agent_profile_guard();"
)


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0006_tools"),
        ("tenants", "0003_platform_acts"),
    ]

    operations = [
        migrations.CreateModel(
            name="AgentDraft",
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
                ("settings", models.JSONField(default=dict)),
                ("based_on", models.PositiveIntegerField(default=0)),
                (
                    "changed_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "endpoint",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="agents.modelendpoint",
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
                "constraints": [
                    tenants.constraints.RowSecurity(name="agent_draft_tenant"),
                    tenants.constraints.TenantForeignKey(
                        field="endpoint",
                        name="agent_draft_endpoint_fk",
                        on_delete="CASCADE",
                        to="agents_modelendpoint",
                    ),
                    models.UniqueConstraint(fields=("tenant",), name="agent_draft_one"),
                ],
            },
            managers=[
                ("raw", django.db.models.manager.Manager()),
                ("objects", django.db.models.manager.Manager()),
            ],
        ),
        migrations.RunSQL(_FORWARD, _REVERSE),
    ]
