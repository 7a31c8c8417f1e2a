"""Specialists whose versions never change, and whose model calls bear their names."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models

import tenants.constraints
import tenants.scoping

_FORWARD = """
CREATE FUNCTION specialist_guard() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp
AS $$
BEGIN
  IF to_jsonb(OLD) - 'retired_at' <> to_jsonb(NEW) - 'retired_at' THEN
    RAISE EXCEPTION 'version % of specialist % may not change', OLD.version, OLD.name
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER specialist_guard BEFORE UPDATE ON agents_specialist
  FOR EACH ROW EXECUTE FUNCTION specialist_guard();
"""

_REVERSE = "DROP TRIGGER specialist_guard ON agents_specialist; DROP FUNCTION specialist_guard();"


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0017_gaps_endpoints"),
        ("tenants", "0004_tools"),
    ]

    operations = [
        migrations.AddField(
            model_name="modelcall",
            name="specialist",
            field=models.CharField(blank=True, db_default="", default="", max_length=60),
        ),
        migrations.CreateModel(
            name="Specialist",
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
                ("name", models.CharField(max_length=60)),
                ("version", models.PositiveIntegerField(default=1)),
                ("description", models.CharField(max_length=500)),
                ("instructions", models.TextField(blank=True)),
                (
                    "tools",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=60),
                        blank=True,
                        default=list,
                        size=None,
                    ),
                ),
                ("max_steps", models.PositiveSmallIntegerField(default=4)),
                ("seconds", models.PositiveIntegerField(default=30)),
                ("enabled", models.BooleanField(default=True)),
                ("retired_at", models.DateTimeField(null=True)),
                (
                    "endpoint",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
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
                    tenants.constraints.RowSecurity(name="specialist_tenant"),
                    tenants.constraints.TenantForeignKey(
                        field="endpoint",
                        name="specialist_endpoint_fk",
                        on_delete="NO ACTION",
                        to="agents_modelendpoint",
                    ),
                    models.UniqueConstraint(
                        fields=("tenant", "name", "version"), name="specialist_version"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("retired_at__isnull", True)),
                        fields=("tenant", "name"),
                        name="specialist_one_of_name",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("name__regex", "^[a-z][a-z0-9_]{2,59}$")),
                        name="specialist_name_is_plain",
                    ),
                ],
            },
            managers=[
                ("raw", django.db.models.manager.Manager()),
                ("objects", django.db.models.manager.Manager()),
            ],
        ),
        migrations.RunSQL(_FORWARD, _REVERSE),
    ]
