"""Carol's talk at Acme, and the browsers of those who look at it."""

from collections.abc import Callable

import pytest

from conversations.models import Conversation
from tests.support.cast import Cast
from tests.support.console import Browser, start


@pytest.fixture
def talk(cast: Cast) -> Conversation:
    with cast.acme.scope():
        return start(cast.carol)


@pytest.fixture
def browser_of(cast: Cast) -> Callable[[str], Browser]:
    """By first name, looking at Acme's pages; "nobody" is not signed in."""

    def browser(name: str) -> Browser:
        people = cast.acme.people | cast.globex.people
        return Browser(cast.acme, people.get(name))

    return browser
