"""Each entry names who acted, and none is written where its chain's end cannot be seen."""

from django.db import migrations, models

# A transaction that reads one old moment would take a place in the chain that others have: it is
# told so at once, and not only when somebody else happens to write at the same time.
_GUARD = """
CREATE FUNCTION audit_in_the_open() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'write audit entries outside of a snapshot: the end of the chain is not seen';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER audit_in_the_open BEFORE INSERT ON tenants_auditentry
  FOR EACH ROW EXECUTE FUNCTION audit_in_the_open();
"""
_GUARD_REVERSE = """
DROP TRIGGER audit_in_the_open ON tenants_auditentry;
DROP FUNCTION audit_in_the_open();
"""

_NAMED = (
    models.Q(
        ("actor_id__isnull", False), ("actor_kind__in", ["member", "customer", "staff", "rule"])
    )
    | (models.Q(actor_kind="job") & ~models.Q(actor_code=""))
    | models.Q(actor_kind__in=["agent", "system"])
)


class Migration(migrations.Migration):
    dependencies = [("tenants", "0011_tenant_end_doors")]

    operations = [
        migrations.AddConstraint(
            model_name="auditentry",
            constraint=models.CheckConstraint(condition=_NAMED, name="audit_entry_names_its_actor"),
        ),
        migrations.RunSQL(_GUARD, _GUARD_REVERSE),
    ]
