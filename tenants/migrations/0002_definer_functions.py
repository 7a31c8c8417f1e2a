"""What the runtime role may do beyond its rows, and what it may not."""

from django.db import migrations

# A person signs in before any tenant is chosen: this returns slugs and roles, nothing else.
_TENANTS_OF_USER = """
CREATE POLICY member_search ON tenants_member FOR SELECT TO desk_search USING (true);
GRANT SELECT (tenant_id, user_id, role, active) ON tenants_member TO desk_search;
GRANT SELECT (id, slug, name, status) ON tenants_tenant TO desk_search;
CREATE FUNCTION tenants_of_user(wanted uuid)
  RETURNS TABLE (slug varchar, name varchar, role varchar)
  LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = public, pg_temp
AS $$
  SELECT t.slug, t.name, m.role
  FROM tenants_member m JOIN tenants_tenant t ON t.id = m.tenant_id
  WHERE m.user_id = wanted AND m.active AND t.status <> 'closed'
  ORDER BY t.name
$$;
ALTER FUNCTION tenants_of_user(uuid) OWNER TO desk_search;
REVOKE ALL ON FUNCTION tenants_of_user(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenants_of_user(uuid) TO desk_app;
"""

_TENANTS_OF_USER_REVERSE = """
DROP FUNCTION tenants_of_user(uuid);
DROP POLICY member_search ON tenants_member;
REVOKE SELECT (tenant_id, user_id, role, active) ON tenants_member FROM desk_search;
REVOKE SELECT (id, slug, name, status) ON tenants_tenant FROM desk_search;
"""

_APPEND_ONLY = "REVOKE UPDATE, DELETE, TRUNCATE ON tenants_auditentry FROM desk_app"
_APPEND_ONLY_REVERSE = "GRANT UPDATE, DELETE ON tenants_auditentry TO desk_app"


class Migration(migrations.Migration):
    dependencies = [("tenants", "0001_initial")]

    operations = [
        migrations.RunSQL(_TENANTS_OF_USER, _TENANTS_OF_USER_REVERSE),
        migrations.RunSQL(_APPEND_ONLY, _APPEND_ONLY_REVERSE),
    ]
