"""Fixtures of all tests."""

import pytest

from tests.support.browser import BrowserTests
from tests.support.cast import Cast, make_cast
from tests.support.database import django_db_setup

__all__ = ["django_db_setup"]


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(BrowserTests())


@pytest.fixture
def cast(db: None) -> Cast:
    """Acme and Globex with their people; committed where the test's rows are."""
    return make_cast()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--turns", type=int, default=300, help="turns of the fault test")
    parser.addoption(
        "--examples", type=int, default=None, help="talks of the state machine, random"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests with peers fetch packages and take minutes: only for who asks, `-m peer`."""
    if "peer" in config.getoption("markexpr"):
        return
    peers = [item for item in items if item.get_closest_marker("peer")]
    items[:] = [item for item in items if item not in peers]
    config.hook.pytest_deselected(items=peers)
