"""The scope: nothing is read or written outside it, and nothing leaks from one to the next."""

import os

import psycopg
import pytest
from django.db import DataError, OperationalError, connection, transaction

from tenants.models import Member, Role, Tenant, User
from tenants.scoping import NoTenantScope, tenant_scope

pytestmark = pytest.mark.django_db


@pytest.fixture
def two_tenants():
    return [Tenant.objects.create(slug=slug, name=slug.title()) for slug in ("acme", "globex")]


def test_reading_outside_a_scope_raises():
    with pytest.raises(NoTenantScope):
        Member.objects.count()


def test_raw_sql_outside_a_scope_is_an_error_and_not_an_empty_answer(two_tenants):
    user = User.objects.create_user("ann@example.org", name="Ann")
    with tenant_scope(two_tenants[0].id):
        Member.objects.create(user=user, role=Role.ADMIN)
    with (
        pytest.raises(DataError),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT count(*) FROM tenants_member")


def test_each_scope_sees_its_own_rows(two_tenants):
    user = User.objects.create_user("ann@example.org", name="Ann")
    for tenant in two_tenants:
        with tenant_scope(tenant.id):
            Member.objects.create(user=user, role=Role.ADMIN)
            assert [member.tenant_id for member in Member.raw.all()] == [tenant.id]


def test_a_scope_of_another_tenant_inside_is_refused(two_tenants):
    first, second = two_tenants
    with tenant_scope(first.id), pytest.raises(NoTenantScope), tenant_scope(second.id):
        pass


@pytest.mark.django_db(transaction=True)
def test_the_setting_ends_with_the_scopes_own_transaction(two_tenants):
    for tenant in two_tenants:
        with tenant_scope(tenant.id):
            assert _setting() == str(tenant.id)
        assert not _setting()


@pytest.mark.django_db(transaction=True)
def test_a_lost_connection_is_an_error_and_the_next_scope_has_a_new_one(two_tenants):
    tenant = two_tenants[0]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [(pid,)] = cursor.fetchall()
    with psycopg.connect(os.environ["SUPERUSER_DATABASE_URL"], autocommit=True) as superuser:
        superuser.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
    with pytest.raises(OperationalError), tenant_scope(tenant.id):
        pass
    connection.close_if_unusable_or_obsolete()
    with tenant_scope(tenant.id):
        assert _setting() == str(tenant.id)


def _setting():
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('app.tenant_id', true)")
        return cursor.fetchone()[0]
