"""Sign-ins and staff acts belong to no tenant: one function shows them, ids and codes only."""

from django.db import migrations

_FORWARD = """
CREATE POLICY audit_entry_search ON tenants_auditentry FOR SELECT TO desk_search
  USING (tenant_id IS NULL);
GRANT SELECT ON tenants_auditentry TO desk_search;
CREATE FUNCTION platform_acts(how_many integer)
  RETURNS TABLE (at timestamptz, actor_kind varchar, actor_id uuid, action varchar,
                 target_kind varchar, target_id uuid, detail jsonb)
  LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = public, pg_temp
AS $$
  SELECT created_at, actor_kind, actor_id, action, target_kind, target_id, detail
  FROM tenants_auditentry WHERE tenant_id IS NULL
  ORDER BY created_at DESC, id DESC LIMIT least(how_many, 1000)
$$;
ALTER FUNCTION platform_acts(integer) OWNER TO desk_search;
REVOKE ALL ON FUNCTION platform_acts(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION platform_acts(integer) TO desk_app;
"""

_REVERSE = """
DROP FUNCTION platform_acts(integer);
REVOKE SELECT ON tenants_auditentry FROM desk_search;
DROP POLICY audit_entry_search ON tenants_auditentry;
"""


class Migration(migrations.Migration):
    dependencies = [("tenants", "0002_definer_functions")]

    operations = [migrations.RunSQL(_FORWARD, _REVERSE)]
