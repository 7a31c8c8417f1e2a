"""Answers that come in another order than they were asked for: the last click counts."""

import re
from contextlib import contextmanager

from playwright.sync_api import expect


def test_the_last_tab_clicked_is_the_one_that_stands(visits):
    page = visits.desk("sam")
    mine = page.locator("[data-tab=mine]")
    with late(page, r"tab=mine"), late(page, r"tab=unassigned"):
        page.locator("[data-tab=unassigned]").click()
        mine.click()
    expect(mine).to_have_attribute("aria-current", "true")


def test_a_refresh_under_way_takes_no_click_along(visits):
    page = visits.desk("sam")
    mine = page.locator("[data-tab=mine]")
    with late(page, r"tab=mine"), late(page, r"limit=\d+"):
        with page.expect_request(re.compile(r"limit=\d+")):
            chat = visits.shop().begin()
            chat.say("Hello! The list wants to be refreshed.")
        mine.click()
    expect(mine).to_have_attribute("aria-current", "true")


def test_a_card_under_the_finger_hears_the_click(visits):
    page = visits.desk("sam")
    card = page.locator("[data-card]").first
    wanted = id_of(card)
    card.hover()
    page.mouse.down()
    with page.expect_response(re.compile(r"limit=\d+")):
        chat = visits.shop().begin()
        chat.say("Hello! The list wants to be refreshed.")
    page.wait_for_timeout(200)
    page.mouse.up()
    shows(page, wanted)
    # And the list is refreshed after all: the new one stands on top.
    expect(page.locator("[data-card]").first).not_to_have_attribute("id", f"card-{wanted}")


def test_the_last_conversation_clicked_is_the_one_that_stands(visits):
    page = visits.desk("sam")
    first, second = (page.locator("[data-card]").nth(place) for place in (0, 1))
    with late(page, f"/conversations/{id_of(first)}/"):
        first.click()
        second.click()
        shows(page, id_of(second))
    shows(page, id_of(second))


def test_an_answer_for_another_conversation_does_not_take_this_ones_place(visits):
    page = visits.desk("sam")
    page.locator("[data-card]", has_text="Cleo Marsh").click()
    other = page.locator("[data-card]").filter(has_not_text="Cleo Marsh").first
    with late(page, r"/(resolve|reopen)/"):
        page.locator("#resolve, #reopen").click()
        other.click()
        shows(page, id_of(other))
    shows(page, id_of(other))


def id_of(card):
    return card.get_attribute("id").removeprefix("card-")


def shows(page, conversation):
    thread = page.locator(".conversation[data-conversation]")
    expect(thread).to_have_attribute("data-conversation", conversation)


@contextmanager
def late(page, address):
    """The next request to that address goes on only when the block has ended, and is answered."""
    held = []
    page.route(re.compile(address), lambda route: held.append(route), times=1)  # noqa: PLW0108
    yield
    assert held
    for route in held:
        if not route.request.failure:  # else a later click has ended it
            route.continue_()
    page.wait_for_timeout(1500)
