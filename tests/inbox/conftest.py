"""A real Chromium before a real web process, whose database each test finds empty."""

import pytest

from tests.support.browser import browser, page
from tests.support.stack import running_stack

__all__ = ["browser", "page"]


@pytest.fixture(scope="package")
def stack():
    with running_stack("web") as found:
        yield found
