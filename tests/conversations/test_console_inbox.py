"""The list: tabs whose numbers are true, search, order, pages, and a constant price."""

import re
from datetime import timedelta
from itertools import permutations

import pytest
from django.utils import timezone

from conversations.models import Customer
from conversations.services import control, lifecycle
from tests.support.console import Browser, say, start, text_of
from tests.support.queries import at_most

TABS = ["mine", "unassigned", "agent", "all"]
CARD = re.compile(r'id="card-([0-9a-f-]{36})"')


def listed(browser: Browser, **query: str) -> list[str]:
    """All cards of a list, page after page, as the "older" link leads."""
    answer = browser.get("conversations:inbox", **query)
    found = CARD.findall(text_of(answer))
    while following := re.search(r'list-end" hx-get="([^"]+)"', text_of(answer)):
        url = following[1].replace("&amp;", "&")
        answer = browser.client.get(url, headers={"HX-Request": "true"})
        found += CARD.findall(text_of(answer))
    return found


def badges(browser: Browser, **query: str) -> dict[str, int]:
    page = text_of(browser.get("conversations:inbox", **query))
    found = re.findall(r'data-tab="(\w+)".*?tab-count">([^<]+)<', page)
    return {tab: int(count) for tab, count in found}


@pytest.fixture
def busy(cast):
    """Seven unopened lines of Carol's; talks of the agent, of Bob, of nobody, resolved, snoozed."""
    with cast.acme.scope():
        bob = cast.acme.bob.member
        talk = start(cast.carol, "first")
        for number in range(6):
            say(talk, f"line {number}")
        for name in ("Dana", "Eve", "Finn"):
            start(Customer.objects.create(name=name))
        control.take_over(start(Customer.objects.create(name="Gil")), by=bob)
        control.take_over(talk, by=bob)
        alone = control.take_over(start(Customer.objects.create(name="Hal")), by=bob)
        control.assign(alone, to=None, by=bob)
        lifecycle.resolve(start(Customer.objects.create(name="Ida")), by=bob)
        snoozed = start(Customer.objects.create(name="Joe"))
        lifecycle.snooze(snoozed, until=timezone.now() + timedelta(hours=2), by=bob)
    return talk


@pytest.mark.parametrize("order", list(permutations(TABS))[::5])
def test_each_badge_is_the_length_of_its_list(browser_of, busy, order):
    bob = browser_of("bob")
    for status in ("open", "snoozed", "resolved", "any"):
        for tab in order:
            numbers = badges(bob, tab=tab, status=status)
            assert numbers[tab] == len(listed(bob, tab=tab, status=status)), (tab, status)


def test_badges_follow_the_search_and_the_order(browser_of, busy):
    bob = browser_of("bob")
    for query in ({"q": "Gil"}, {"sort": "waiting"}, {"q": "line 5", "status": "any"}):
        for tab in TABS:
            assert badges(bob, tab=tab, **query)[tab] == len(listed(bob, tab=tab, **query))


def test_the_tabs_hold_what_they_say(browser_of, busy):
    assert badges(browser_of("bob")) == {"mine": 2, "unassigned": 1, "agent": 3, "all": 6}
    assert badges(browser_of("alice"))["mine"] == 0


def test_unread_is_seven_then_none(browser_of, busy):
    bob = browser_of("bob")
    with_unread = text_of(bob.get("conversations:inbox"))
    assert "7 unread messages" in with_unread

    bob.get("conversations:thread", busy.id)

    assert "7 unread" not in text_of(bob.get("conversations:inbox"))


def test_a_viewer_looking_leaves_it_unread(browser_of, busy):
    browser_of("vera").get("conversations:thread", busy.id)
    assert "7 unread messages" in text_of(browser_of("bob").get("conversations:inbox"))


def test_sixty_talks_are_counted_and_listed_beyond_a_page(browser_of, cast):
    with cast.acme.scope():
        for number in range(60):
            start(Customer.objects.create(name=f"Customer {number}"))

    bob = browser_of("bob")

    assert badges(bob)["all"] == 60
    found = listed(bob)
    assert len(found) == len(set(found)) == 60


def test_waiting_longest_comes_first(browser_of, cast):
    with cast.acme.scope():
        older, newer = start(cast.carol), start(Customer.objects.create(name="Dana"))
        say(older, "still there?")

    bob = browser_of("bob")

    assert listed(bob) == [str(older.id), str(newer.id)]
    assert listed(bob, sort="waiting") == [str(older.id), str(newer.id)]
    with cast.acme.scope():
        say(newer, "me too")
    assert listed(bob) == [str(newer.id), str(older.id)]
    assert listed(bob, sort="waiting") == [str(older.id), str(newer.id)]


def test_what_is_not_understood_falls_back(browser_of, talk):
    bob = browser_of("bob")
    answer = bob.get(
        "conversations:inbox", tab="x", status="y", sort="customer__email", limit="-1", after="z"
    )
    assert CARD.findall(text_of(answer)) == [str(talk.id)]


def test_htmx_gets_the_list_alone(browser_of, talk):
    page = text_of(browser_of("bob").get("conversations:inbox", target="list"))
    assert page.lstrip().startswith('<section class="pane-list"')


def test_an_empty_search_says_what_to_do(browser_of, talk):
    page = text_of(browser_of("bob").get("conversations:inbox", q="no such words"))
    assert "Search other words" in page


def test_names_are_never_markup(browser_of, cast):
    with cast.acme.scope():
        start(Customer.objects.create(name="<script>alert(1)</script>"), "<b onclick=x>hi</b>")

    page = text_of(browser_of("bob").get("conversations:inbox"))

    assert "<script>alert" not in page
    assert "<b onclick" not in page


def test_the_page_costs_the_same_for_any_number_of_rows(browser_of, cast):
    bob = browser_of("bob")
    with cast.acme.scope():
        start(cast.carol)
    with at_most(12) as few:
        bob.get("conversations:inbox")
    with cast.acme.scope():
        for number in range(30):
            talk = start(Customer.objects.create(name=f"Customer {number}"))
            if number % 2:
                control.take_over(talk, by=cast.acme.bob.member)
    with at_most(12) as many:
        bob.get("conversations:inbox")
    assert len(few) == len(many)
