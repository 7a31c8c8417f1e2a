"""One SELECT in one trip to the server: as walled, as short-lived and as loud as a scope."""

import os

import psycopg
import pytest
from django.db import DataError, OperationalError, ProgrammingError, connection

from tenants.models import Member, Role, Tenant, User
from tenants.scoping import NoTenantScope, read_alone, scope_is_open, tenant_scope

pytestmark = pytest.mark.django_db(transaction=True)

MEMBERS = "SELECT tenant_id FROM tenants_member WHERE role = %s"


@pytest.fixture
def two_tenants():
    user = User.objects.create_user("ann@example.org", name="Ann")
    tenants = [Tenant.objects.create(slug=slug, name=slug.title()) for slug in ("acme", "globex")]
    for tenant in tenants:
        with tenant_scope(tenant.id):
            Member.objects.create(user=user, role=Role.ADMIN)
    return tenants


def test_it_sees_one_tenants_rows_and_leaves_no_setting_behind(two_tenants):
    for tenant in [*two_tenants, *two_tenants]:
        # Often enough that the driver prepares the statement, which the next tenant shares.
        for _ in range(4):
            assert read_alone(tenant.id, MEMBERS, ["admin"]) == [(tenant.id,)]
        assert not _setting()
        assert not scope_is_open()


def test_it_is_one_trip(two_tenants, tmp_path):
    connection.ensure_connection()
    driver = connection.connection.pgconn
    protocol = tmp_path / "protocol"
    with protocol.open("w") as file:
        driver.trace(file.fileno())
        read_alone(two_tenants[0].id, MEMBERS, ["admin"])
        driver.untrace()
    sent = [line.split("\t")[3] for line in protocol.read_text().splitlines() if "\tF\t" in line]
    # Both statements leave before anything is waited for, and nothing is asked for behind them.
    assert sent.count("Sync") == 1
    before, behind = sent[: sent.index("Sync")], sent[sent.index("Sync") + 1 :]
    assert before.count("Execute") == 2
    assert not {"Flush", "Query"} & set(before)
    assert "Execute" not in behind


@pytest.mark.parametrize(
    ("sql", "error"),
    [("SELECT 1 / %s::int", DataError), ("SELECT nothing FROM nowhere", ProgrammingError)],
)
def test_what_fails_is_djangos_error_and_the_connection_serves_on(two_tenants, sql, error):
    values = [0] if "%s" in sql else []
    with pytest.raises(error):
        read_alone(two_tenants[0].id, sql, values)
    assert read_alone(two_tenants[1].id, MEMBERS, ["admin"]) == [(two_tenants[1].id,)]
    with tenant_scope(two_tenants[0].id):
        assert Member.objects.count() == 1


def test_a_lost_connection_is_djangos_error(two_tenants):
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [(pid,)] = cursor.fetchall()
    with psycopg.connect(os.environ["SUPERUSER_DATABASE_URL"], autocommit=True) as superuser:
        superuser.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
    with pytest.raises(OperationalError):
        read_alone(two_tenants[0].id, MEMBERS, ["admin"])
    connection.close_if_unusable_or_obsolete()
    assert len(read_alone(two_tenants[0].id, MEMBERS, ["admin"])) == 1


def test_in_a_scope_it_reads_there_and_another_tenants_is_refused(two_tenants):
    first, second = two_tenants
    with tenant_scope(first.id):
        Member.objects.all().delete()
        assert read_alone(first.id, MEMBERS, ["admin"]) == []
        with pytest.raises(NoTenantScope):
            read_alone(second.id, MEMBERS, ["admin"])


def test_who_watches_the_connection_sees_its_statements(two_tenants):
    seen = []

    def watch(execute, sql, *rest):
        seen.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(watch):
        assert len(read_alone(two_tenants[0].id, MEMBERS, ["admin"])) == 1
    assert seen[-1] == MEMBERS


def _setting():
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('app.tenant_id', true)")
        return cursor.fetchone()[0]
