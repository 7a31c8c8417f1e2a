"""What the database's own catalogue says about the walls: queries that must return no row.

Each returns sentences. They are asked as superuser, because no weaker role sees everything.
"""

import json

from psycopg import Connection

# Shared by all tenants, and why that is no leak.
SHARED = {
    "tenants_tenant": "the organisations; no customer data",
    "tenants_user": "people who sign in may belong to several tenants",
    "tenants_user_groups": "Django's; staff back office only",
    "tenants_user_user_permissions": "Django's; staff back office only",
    "tenants_duework": "ids and times only; one sweep reads it for all tenants",
    "conversations_signingkey": "public keys, published as they are",
    "auth_group": "Django's; staff back office only",
    "auth_group_permissions": "Django's; staff back office only",
    "auth_permission": "Django's; names of models",
    "django_admin_log": "acts of platform staff",
    "django_content_type": "Django's; names of models",
    "django_migrations": "Django's; names of migrations",
    "django_session": "login sessions, found by a random key",
}

_MINE = "(tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))"
# The audit record takes sign-ins and staff acts, which belong to no tenant; nobody reads them so.
_CHECKS = {"tenants_auditentry": f"((tenant_id IS NULL) OR {_MINE})"}

_TABLES = """
SELECT c.oid, c.relname, c.relrowsecurity, c.relforcerowsecurity,
  c.relname = ANY(%(shared)s) AS shared,
  EXISTS (SELECT FROM pg_attribute a
          WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped) AS scoped
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p', 'f')
"""

FINDINGS = {
    "row security": f"""
      SELECT format('%%s has tenant_id and no forced row security', relname) FROM ({_TABLES}) t
      WHERE scoped AND NOT shared AND NOT (relrowsecurity AND relforcerowsecurity)""",
    "shared table": f"""
      SELECT format('%%s has no tenant_id and is on no list', relname) FROM ({_TABLES}) t
      WHERE NOT scoped AND NOT shared""",
    "stale list": f"""
      SELECT format('%%s is listed as shared and does not exist', listed)
      FROM unnest(%(shared)s::text[]) AS listed
      WHERE listed NOT IN (SELECT relname FROM ({_TABLES}) t)""",
    "nullable tenant": f"""
      SELECT format('%%s may hold rows of no tenant', relname) FROM ({_TABLES}) t
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = 'tenant_id'
      WHERE NOT a.attnotnull AND NOT shared AND NOT relname = ANY(%(null_allowed)s)""",
    # One policy for the runtime role, of exactly this shape: whatever is added could only widen it.
    "policy": f"""
      SELECT format('%%s: %%s policies reach desk_app, of the one right shape: %%s',
        relname, all_of, right_of)
      FROM (
        SELECT t.relname, count(p.oid) AS all_of, count(p.oid) FILTER (
          WHERE p.polcmd = '*' AND p.polpermissive AND p.polroles = ARRAY['desk_app'::regrole::oid]
          AND pg_get_expr(p.polqual, p.polrelid) = %(mine)s
          AND pg_get_expr(p.polwithcheck, p.polrelid)
            = COALESCE(%(checks)s::jsonb ->> relname, %(mine)s)
        ) AS right_of
        FROM ({_TABLES}) t LEFT JOIN pg_policy p ON p.polrelid = t.oid
          AND p.polroles && ARRAY['desk_app'::regrole::oid, 0::oid]
        WHERE scoped AND NOT shared GROUP BY 1
      ) counted WHERE (all_of, right_of) <> (1, 1)""",
    "policy of another role": """
      SELECT format('policy %%s on %%s is for %%s',
        polname, polrelid::regclass, polroles::regrole[])
      FROM pg_policy
      WHERE NOT (polroles && ARRAY['desk_app'::regrole::oid, 0::oid])
        AND polroles <> ARRAY['desk_owner'::regrole::oid]
        AND NOT (polroles = ARRAY['desk_search'::regrole::oid] AND polcmd = 'r')""",
    "volatile policy": """
      SELECT format('policy %%s on %%s calls the volatile %%s',
        polname, polrelid::regclass, f.proname)
      FROM pg_policy p
      JOIN pg_depend d ON d.classid = 'pg_policy'::regclass AND d.objid = p.oid
        AND d.refclassid = 'pg_proc'::regclass
      JOIN pg_proc f ON f.oid = d.refobjid
      WHERE f.provolatile = 'v'""",
    "foreign key": f"""
      SELECT format('%%s on %%s links rows of tenants without tenant_id', k.conname, child.relname)
      FROM pg_constraint k
      JOIN ({_TABLES}) child ON child.oid = k.conrelid
      JOIN ({_TABLES}) parent ON parent.oid = k.confrelid
      WHERE k.contype = 'f' AND parent.scoped AND NOT parent.shared AND NOT EXISTS (
        SELECT FROM unnest(k.conkey, k.confkey) AS pair (mine, theirs)
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = mine
        JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = theirs
        WHERE a.attname = 'tenant_id' AND b.attname = 'tenant_id')""",
    "unique index": f"""
      SELECT format('%%s is unique across tenants', i.indexrelid::regclass)
      FROM pg_index i JOIN ({_TABLES}) t ON t.oid = i.indrelid
      LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
      WHERE t.scoped AND NOT t.shared AND (i.indisunique OR i.indisexclusion)
        AND a.attname IS DISTINCT FROM 'tenant_id'
        AND NOT (i.indisprimary AND i.indnkeyatts = 1 AND a.atttypid = 'uuid'::regtype)""",
    "view": """
      SELECT format('%%s shows rows as its owner', c.relname)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'public' AND (c.relkind = 'm' OR (c.relkind = 'v'
        AND NOT COALESCE(
          c.reloptions && ARRAY['security_invoker=true', 'security_invoker=on'], false)))""",
    "schema": """
      SELECT format('%%s lies outside the schema public', c.oid::regclass)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'public'
        AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%%'""",
    "role": """
      SELECT format('%%s has powers past row security', rolname) FROM pg_roles
      WHERE rolname IN ('desk_app', 'desk_search', 'desk_owner')
        AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication)
      UNION ALL SELECT format('desk_app is a member of %%s', roleid::regrole)
      FROM pg_auth_members WHERE member = 'desk_app'::regrole
      UNION ALL SELECT format('desk_app owns %%s', relname)
      FROM pg_class WHERE relowner = 'desk_app'::regrole
      UNION ALL SELECT 'desk_search can log in'
      FROM pg_roles WHERE rolname = 'desk_search' AND rolcanlogin""",
    "grant": f"""
      SELECT format('desk_app may %%s %%s', needed, relname) FROM ({_TABLES}) t,
        unnest(ARRAY['TRUNCATE', 'REFERENCES', 'TRIGGER']) AS needed
      WHERE has_table_privilege('desk_app', oid, needed)
      UNION ALL SELECT format('desk_app may %%s the audit record (%%s)', needed, sealed)
      FROM unnest(ARRAY['UPDATE', 'DELETE']) AS needed,
        unnest(ARRAY['tenants_auditentry', 'tenants_auditlink']) AS sealed
      WHERE needed = 'UPDATE' AND has_any_column_privilege('desk_app', sealed, 'UPDATE')
        OR has_table_privilege('desk_app', sealed, needed)""",
    "audit chain": """
      SELECT 'the audit record is not chained as it commits' WHERE NOT EXISTS (
        SELECT FROM pg_trigger WHERE tgrelid = 'tenants_auditentry'::regclass
          AND tgname = 'audit_chain' AND tgenabled = 'O' AND tginitdeferred)""",
    "definer function": """
      SELECT format('%%s has no fixed search path, a strong owner or is for everybody',
        f.oid::regprocedure)
      FROM pg_proc f JOIN pg_namespace n ON n.oid = f.pronamespace
      WHERE n.nspname = 'public' AND f.prosecdef AND NOT (
        EXISTS (SELECT FROM unnest(f.proconfig) AS option WHERE option LIKE 'search_path=%%')
        AND f.proowner = 'desk_search'::regrole
        AND NOT EXISTS (
          SELECT FROM aclexplode(COALESCE(f.proacl, acldefault('f', f.proowner))) AS granted
          WHERE granted.grantee = 0))""",
}  # fmt: skip


def findings(connection: Connection, *, only: str = "") -> list[str]:
    """Every hole in the walls, as sentences that begin with the name of the rule."""
    values = {
        "shared": list(SHARED),
        "null_allowed": list(_CHECKS),
        "mine": _MINE,
        "checks": json.dumps(_CHECKS),
    }
    return [
        f"{name}: {sentence}"
        for name, query in FINDINGS.items()
        if only in ("", name)
        for (sentence,) in connection.execute(query, values).fetchall()
    ]
