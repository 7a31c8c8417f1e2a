"""The chain of the record: every way to tamper with it shows, and many writers keep it whole."""

import os
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from io import StringIO

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, ProgrammingError, connection, transaction

from devstack import testdb
from devstack.pytest_services import DATABASE
from tenants.models import Actor, AuditEntry, AuditLink
from tenants.scoping import tenant_scope
from tenants.selectors.audit_chain import head
from tenants.services import audit
from tenants.services.tenants import create_tenant

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def tenant(db):
    return create_tenant(slug="acme", name="Acme")


def write(tenant, count=1, action="test.done"):
    for number in range(count):
        with tenant_scope(tenant.id):
            audit.record(action, by=Actor.SYSTEM, detail={"n": number, "ü": 1.5, "a": None})


def tamper(statement):
    """As somebody with the database's own powers, past every wall."""
    url = testdb.on_database(os.environ["SUPERUSER_DATABASE_URL"], DATABASE)
    with psycopg.connect(url) as superuser:
        superuser.execute("SET LOCAL session_replication_role = replica")
        superuser.execute(statement)


def verify(*options):
    out = StringIO()
    call_command("verify_audit", *options, stdout=out)
    return out.getvalue()


def test_entries_are_chained_as_they_commit(tenant):
    write(tenant, 3)

    with tenant_scope(tenant.id):
        assert head().seq == 3
    assert "acme: whole. Head 3:" in verify("--tenant", "acme")


def test_a_scope_inside_a_larger_transaction_is_chained_too(tenant):
    with transaction.atomic():
        write(tenant, 2)
    assert "Head 2:" in verify()


def test_what_is_rolled_back_leaves_no_gap(tenant):
    write(tenant)
    with transaction.atomic():
        write(tenant)
        transaction.set_rollback(True)
    write(tenant)
    assert "Head 2:" in verify()


def in_a_snapshot(tenant):
    with transaction.atomic():
        connection.cursor().execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        write(tenant)


def test_a_snapshot_cannot_write_an_entry(tenant):
    with pytest.raises(ProgrammingError, match="outside of a snapshot"):
        in_a_snapshot(tenant)


@pytest.mark.parametrize("kind", [Actor.MEMBER, Actor.CUSTOMER, Actor.STAFF, Actor.RULE, Actor.JOB])
def test_an_entry_names_who_acted(tenant, kind):
    with pytest.raises(IntegrityError, match="names_its_actor"), tenant_scope(tenant.id):
        audit.record("test.done", by=kind)


def test_eight_writers_at_once_make_one_chain(tenant):
    def work(_):
        try:
            write(tenant, 10)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))

    assert "Head 80:" in verify()


def test_a_long_transaction_with_entries_keeps_nobody_waiting(tenant):
    with tenant_scope(tenant.id):
        audit.record("test.long", by=Actor.SYSTEM)

        def other():
            try:
                with tenant_scope(tenant.id), connection.cursor() as cursor:
                    cursor.execute("SET LOCAL lock_timeout = '2s'")
                    audit.record("test.short", by=Actor.SYSTEM)
            finally:
                connection.close()

        with ThreadPoolExecutor(1) as pool:
            pool.submit(other).result()

    with tenant_scope(tenant.id):
        seqs = dict(AuditLink.objects.values_list("id", "seq"))
        acts = {seqs[entry.id]: entry.action for entry in AuditEntry.objects.all()}
    assert acts == {1: "test.short", 2: "test.long"}


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE tenants_auditentry SET action = 'test.other' WHERE detail @> '{\"n\": 2}'",
         "of link 3 was changed"),
        ("UPDATE tenants_auditentry SET actor_kind = 'agent' WHERE detail @> '{\"n\": 2}'",
         "of link 3 was changed"),
        ("UPDATE tenants_auditentry SET created_at = created_at - interval '1 s'"
         " WHERE detail @> '{\"n\": 2}'", "of link 3 was changed"),
        ("DELETE FROM tenants_auditentry WHERE detail @> '{\"n\": 2}'", "of link 3 was deleted"),
        ("DELETE FROM tenants_auditlink WHERE seq = 3", "link 3 is missing"),
        ("INSERT INTO tenants_auditentry (id, tenant_id, actor_kind, actor_code, action,"
         " target_kind, detail) SELECT gen_random_uuid(), id, 'system', '', 'forged', '', '{}'"
         " FROM tenants_tenant", "stands in no link"),
    ],
)  # fmt: skip
def test_tampering_shows(tenant, statement, words):
    write(tenant, 5)
    tamper(statement)

    with pytest.raises(CommandError, match=words):
        verify("--tenant", "acme")


def test_cutting_off_the_newest_shows_against_a_noted_head(tenant):
    write(tenant, 5)
    noted = verify("--tenant", "acme").split()[-1]
    tamper("DELETE FROM tenants_auditentry WHERE detail @> '{\"n\": 4}'")
    tamper("DELETE FROM tenants_auditlink WHERE seq = 5")

    assert "Head 4:" in verify("--tenant", "acme")
    with pytest.raises(CommandError, match="cut off"):
        verify("--tenant", "acme", "--head", noted)


def test_a_noted_head_outlives_newer_entries(tenant):
    write(tenant, 2)
    noted = verify("--tenant", "acme").split()[-1]
    write(tenant, 2)
    assert "Head 4:" in verify("--tenant", "acme", "--head", noted)


def test_entries_of_before_the_chain_are_chained_by_the_migration(tenant):
    write(tenant, 3)
    tamper("DELETE FROM tenants_auditlink")
    tamper(import_module("tenants.migrations.0007_audit_chain")._BEFORE)
    write(tenant)
    assert "Head 4:" in verify()


@pytest.mark.parametrize("table", ["tenants_auditentry", "tenants_auditlink"])
@pytest.mark.parametrize(
    "statement", ["UPDATE {} SET created_at = now()", "DELETE FROM {}", "TRUNCATE {}"]
)
def test_the_runtime_role_may_not_change_it(tenant, table, statement):
    write(tenant)
    with pytest.raises(ProgrammingError, match="permission denied"):  # noqa: SIM117
        with tenant_scope(tenant.id), connection.cursor() as cursor:
            cursor.execute(statement.format(table))
