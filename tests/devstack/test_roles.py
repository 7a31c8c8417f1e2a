"""The four roles are as weak as promised."""

import os

import psycopg
import pytest
from psycopg import errors

from devstack.bootstrap import run_sql
from devstack.process import StackError

pytestmark = pytest.mark.usefixtures("django_db_setup")
REFUSED = errors.InsufficientPrivilege


def connect(name: str) -> psycopg.Connection:
    return psycopg.connect(os.environ[name], autocommit=True)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE mine ()",
        "CREATE TEMPORARY TABLE mine ()",
        "CREATE SCHEMA mine",
        "CREATE FUNCTION mine() RETURNS int LANGUAGE sql RETURN 1",
        "CREATE DATABASE mine",
        "CREATE ROLE mine",
        "TRUNCATE tenants_tenant",
        "SET ROLE desk_owner",
        "SET ROLE desk_search",
        "SET SESSION AUTHORIZATION desk_owner",
        "ALTER TABLE tenants_member DISABLE ROW LEVEL SECURITY",
        "ALTER ROLE desk_app BYPASSRLS",
        "COPY tenants_tenant FROM PROGRAM 'true'",
    ],
)
def test_the_application_may_not(statement):
    with connect("DATABASE_URL") as app, pytest.raises(REFUSED):
        app.execute(statement)


def test_the_application_has_no_powers_and_belongs_to_nothing():
    with connect("DATABASE_URL") as app:
        powers = app.execute(
            "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication"
            " FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
        groups = app.execute(
            "SELECT count(*) FROM pg_auth_members WHERE member = current_user::regrole"
        ).fetchone()
        patience = app.execute("SHOW idle_in_transaction_session_timeout").fetchone()
    assert (powers, groups, patience) == ((False,) * 5, (0,), ("15s",))


def test_the_owner_has_no_powers_past_its_tables():
    with connect("OWNER_DATABASE_URL") as owner:
        powers = owner.execute(
            "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb"
            " FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
    assert powers == (False,) * 4


def test_the_owner_gives_functions_to_the_search_role_and_may_replace_them():
    function = "CREATE OR REPLACE FUNCTION probe() RETURNS name LANGUAGE sql SECURITY DEFINER"
    with connect("OWNER_DATABASE_URL") as owner:
        owner.execute(f"{function} RETURN current_user")
        try:
            owner.execute("ALTER FUNCTION probe() OWNER TO desk_search")
            with connect("DATABASE_URL") as app:
                assert app.execute("SELECT probe()").fetchone() == ("desk_search",)
            owner.execute(f"{function} RETURN 'replaced'::name")
        finally:
            owner.execute("DROP FUNCTION probe()")


def test_the_search_role_cannot_log_in():
    url = os.environ["DATABASE_URL"].replace("desk_app@", "desk_search@")
    with pytest.raises(psycopg.OperationalError, match="not permitted to log in"):
        psycopg.connect(url)


def test_the_backup_reads_and_never_writes():
    with connect("BACKUP_DATABASE_URL") as backup:
        backup.execute("SELECT count(*) FROM tenants_member")
        with pytest.raises(errors.ReadOnlySqlTransaction):
            backup.execute("DELETE FROM tenants_member")
        backup.execute("SET default_transaction_read_only = off")
        with pytest.raises(REFUSED):
            backup.execute("DELETE FROM tenants_member")


def test_words_are_found_without_their_accents():
    with connect("DATABASE_URL") as app:
        found = app.execute("SELECT to_tsvector('desk_simple', 'Żółw Ünal 42')").fetchone()
    assert found == ("'42':3 'unal':2 'zolw':1",)


def test_the_bootstrap_may_be_repeated():
    run_sql(os.environ["SUPERUSER_DATABASE_URL"], "desk_test")


def test_the_bootstrap_refuses_a_role_that_is_too_strong():
    with connect("SUPERUSER_DATABASE_URL") as superuser:
        superuser.execute("ALTER ROLE desk_app BYPASSRLS")
        try:
            with pytest.raises(StackError, match="too many powers: desk_app"):
                run_sql(os.environ["SUPERUSER_DATABASE_URL"], "desk_test")
        finally:
            superuser.execute("ALTER ROLE desk_app NOBYPASSRLS")
