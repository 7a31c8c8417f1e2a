"""What other tests build on: the flush, and a stack whose parts may be killed."""

import pytest

from devstack import programs
from tenants.models import Tenant
from tests.support import redis
from tests.support.database import emptying, tables_filled_by_migrations
from tests.support.stack import running_stack


@pytest.mark.django_db(transaction=True)
def test_the_flush_empties_what_tests_filled_and_keeps_what_migrations_filled():
    kept = tables_filled_by_migrations()
    Tenant.objects.create(slug="acme", name="Acme")
    assert tables_filled_by_migrations() - kept == {"tenants_tenant"}
    emptying(kept)()
    assert tables_filled_by_migrations() == kept
    assert "django_migrations" in kept


@pytest.mark.durability
@pytest.mark.django_db(transaction=True)
def test_a_part_of_the_stack_can_be_killed_and_started_again():
    with running_stack("web", "sweep") as stack:
        first = stack.pid("web")
        stack.kill("web")
        assert not programs.answers(stack.url)
        stack.restart("web")
        assert programs.answers(stack.url)
        assert stack.pid("web") != first
    assert not programs.answers(stack.url)


def test_the_broker_is_real_and_can_be_emptied():
    with redis.connect() as connection:
        connection.set("left", "over")
        redis.empty_redis()
        assert connection.dbsize() == 0
