"""A closed tenant is still its owners' to see: only one that was deleted is no more."""

from django.db import migrations

_FUNCTION = """
CREATE OR REPLACE FUNCTION tenants_of_user(wanted uuid)
  RETURNS TABLE (slug varchar, name varchar, role varchar)
  LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = public, pg_temp
AS $$
  SELECT t.slug, t.name, m.role
  FROM tenants_member m JOIN tenants_tenant t ON t.id = m.tenant_id
  WHERE m.user_id = wanted AND m.active AND t.status <> '{gone}'
  ORDER BY t.name
$$;
"""


class Migration(migrations.Migration):
    dependencies = [("tenants", "0010_tenant_end")]

    operations = [
        migrations.RunSQL(_FUNCTION.format(gone="ended"), _FUNCTION.format(gone="closed")),
    ]
