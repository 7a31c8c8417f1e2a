"""The schema holds the walls, and every hole that was thought of is noticed."""

import os
from collections.abc import Iterator

import psycopg
import pytest

from devstack.pytest_services import DATABASE
from devstack.testdb import on_database
from tests.support.catalogue import findings

pytestmark = pytest.mark.usefixtures("django_db_setup")

_POLICY = "(tenant_id = (SELECT current_setting('app.tenant_id')::uuid))"
_TABLE = "CREATE TABLE leak (id uuid PRIMARY KEY, tenant_id uuid NOT NULL, name text)"
_ENABLED = (_TABLE, "ALTER TABLE leak ENABLE ROW LEVEL SECURITY")
_FORCED = (*_ENABLED, "ALTER TABLE leak FORCE ROW LEVEL SECURITY")
_SOUND = (*_FORCED, f"CREATE POLICY leak ON leak TO desk_app USING {_POLICY} WITH CHECK {_POLICY}")

MUTANTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "no row security": ("row security", (_TABLE,)),
    "row security that the owner escapes": ("row security", _ENABLED),
    "row security switched off": (
        "row security", ("ALTER TABLE conversations_message DISABLE ROW LEVEL SECURITY",)),
    "no policy": ("policy", _FORCED),
    "a policy that does not name the setting": (
        "policy",
        (*_FORCED, "CREATE POLICY leak ON leak TO desk_app USING (tenant_id IS NOT NULL)")),
    "a quiet policy": ("policy", (*_FORCED,
        "CREATE POLICY leak ON leak TO desk_app"
        " USING (tenant_id = (SELECT current_setting('app.tenant_id', true)::uuid))")),
    "a permissive policy beside the right one": (
        "policy", ("CREATE POLICY more ON conversations_message TO desk_app USING (true)",)),
    "a policy for everybody beside the right one": (
        "policy", ("CREATE POLICY more ON conversations_message FOR SELECT USING (true)",)),
    "a policy that reads but does not check": ("policy", (*_FORCED,
        f"CREATE POLICY leak ON leak TO desk_app USING {_POLICY} WITH CHECK (true)")),
    "a policy for the role of searches that writes": (
        "policy of another role",
        ("CREATE POLICY more ON conversations_message TO desk_search USING (true)",)),
    "a volatile policy": ("volatile policy", (*_FORCED,
        "CREATE FUNCTION whose() RETURNS uuid LANGUAGE sql"
        " RETURN current_setting('app.tenant_id')::uuid",
        "CREATE POLICY leak ON leak TO desk_app USING (tenant_id = whose())")),
    "a shared table that nobody listed": (
        "shared table", ("CREATE TABLE leak (id uuid PRIMARY KEY)",)),
    "a listed table that is gone": ("stale list", ("DROP TABLE django_admin_log",)),
    "a tenant that may be missing": (
        "nullable tenant", ("ALTER TABLE conversations_message ALTER tenant_id DROP NOT NULL",)),
    "a key between tenants": ("foreign key", (*_SOUND,
        "ALTER TABLE leak ADD CONSTRAINT leak_fk FOREIGN KEY (id)"
        " REFERENCES conversations_conversation (id)")),
    "a key from a shared table": ("foreign key", (
        "ALTER TABLE tenants_user ADD COLUMN of uuid REFERENCES tenants_member (id)",)),
    "a unique index without the tenant": (
        "unique index", ("CREATE UNIQUE INDEX leak ON conversations_customer (email)",)),
    "a unique index with the tenant behind": (
        "unique index", ("CREATE UNIQUE INDEX leak ON conversations_customer (email, tenant_id)",)),
    "a view that shows rows as its owner": (
        "view", ("CREATE VIEW leak AS SELECT * FROM conversations_message",)),
    "a materialised view": (
        "view", ("CREATE MATERIALIZED VIEW leak AS SELECT * FROM conversations_message",)),
    "a table in another schema": (
        "schema", ("CREATE SCHEMA elsewhere", "CREATE TABLE elsewhere.leak (id uuid)")),
    "a runtime role that bypasses": ("role", ("ALTER ROLE desk_app BYPASSRLS",)),
    "a runtime role that makes roles": ("role", ("ALTER ROLE desk_app CREATEROLE",)),
    "a runtime role that is a superuser": ("role", ("ALTER ROLE desk_app SUPERUSER",)),
    "a runtime role in another role": ("role", ("GRANT desk_owner TO desk_app",)),
    "a runtime role that owns a table": ("role", (*_SOUND, "ALTER TABLE leak OWNER TO desk_app")),
    "a search role that logs in": ("role", ("ALTER ROLE desk_search LOGIN",)),
    "a runtime role that truncates": (
        "grant", ("GRANT TRUNCATE ON conversations_message TO desk_app",)),
    "an audit record that can be changed": (
        "grant", ("GRANT UPDATE ON tenants_auditentry TO desk_app",)),
    "a chain that can be cut": ("grant", ("GRANT DELETE ON tenants_auditlink TO desk_app",)),
    "a record without its chain": (
        "audit chain", ("ALTER TABLE tenants_auditentry DISABLE TRIGGER audit_chain",)),
    "a definer function without a search path": ("definer function", (
        "CREATE FUNCTION leak() RETURNS int LANGUAGE sql SECURITY DEFINER RETURN 1",
        "REVOKE ALL ON FUNCTION leak() FROM PUBLIC", "ALTER FUNCTION leak() OWNER TO desk_search")),
    "a definer function of the owner": ("definer function", (
        "CREATE FUNCTION leak() RETURNS int LANGUAGE sql SECURITY DEFINER"
        " SET search_path = public, pg_temp RETURN 1",
        "REVOKE ALL ON FUNCTION leak() FROM PUBLIC")),
    "a definer function for everybody": (
        "definer function", ("GRANT EXECUTE ON FUNCTION tenants_of_user(uuid) TO PUBLIC",)),
}  # fmt: skip


@pytest.fixture
def superuser() -> Iterator[psycopg.Connection]:
    """On the test database, in a transaction that is always undone."""
    url = on_database(os.environ["SUPERUSER_DATABASE_URL"], DATABASE)
    with psycopg.connect(url) as connection:
        connection.execute("SET lock_timeout = '10s'")
        yield connection
        connection.rollback()


def test_the_schema_has_no_hole(superuser):
    assert findings(superuser) == []


@pytest.mark.parametrize("name", MUTANTS)
def test_it_notices(superuser, name):
    rule, statements = MUTANTS[name]
    for statement in statements:
        superuser.execute(statement)

    assert findings(superuser, only=rule) != []


def test_a_sound_table_is_no_finding(superuser):
    for statement in _SOUND:
        superuser.execute(statement)
    assert findings(superuser) == []


def test_the_shared_work_list_holds_ids_codes_and_times_only(superuser):
    kinds = superuser.execute(
        "SELECT DISTINCT data_type FROM information_schema.columns"
        " WHERE table_name = 'tenants_duework' AND column_name NOT IN ('kind', 'trace')"
    ).fetchall()
    assert {kind for (kind,) in kinds} == {"uuid", "bigint", "integer", "timestamp with time zone"}


def test_a_trace_in_it_is_a_number_and_never_a_word(superuser):
    superuser.execute("SAVEPOINT before")
    with pytest.raises(psycopg.errors.CheckViolation):
        superuser.execute(
            "INSERT INTO tenants_duework (tenant_id, kind, ref_id, tries, trace)"
            " VALUES (gen_random_uuid(), 'turn', gen_random_uuid(), 0, 'Ada of Old Road')"
        )
    superuser.execute("ROLLBACK TO SAVEPOINT before")
