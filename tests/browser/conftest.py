"""The stack of this folder: seeded once, looked at by all; no test empties the database."""

from collections.abc import Iterator

import pytest
from django.db import connection
from playwright.sync_api import Browser
from pytest_django import DjangoDbBlocker

from demo_shop.services.seed import PLANS, seed
from tests.browser.websites import websites
from tests.browser.world import Visits, World
from tests.support.browser import browser
from tests.support.database import emptying, tables_filled_by_migrations
from tests.support.stack import running_stack

__all__ = ["browser"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def world(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, browser: Browser
) -> Iterator[World]:
    """The demo with web, every worker and beat. Queries are allowed while it stands."""
    empty = emptying(tables_filled_by_migrations())
    with django_db_blocker.unblock():
        tenants = {plan.slug: seed(plan) for plan in PLANS}
        with running_stack() as stack, websites(stack.url) as others:
            yield World(stack, tenants, others)
        connection.close()
    empty()


@pytest.fixture
def visits(world: World, browser: Browser) -> Iterator[Visits]:
    """Opens browsers; afterwards no page may have complained (scripts, policy, network)."""
    visits = Visits(world, browser)
    yield visits
    visits.close()
    assert not visits.complaints
