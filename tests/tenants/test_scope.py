"""The scope: nothing is read or written outside it, and nothing leaks from one to the next."""

import pytest
from django.db import DataError, connection, transaction

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
