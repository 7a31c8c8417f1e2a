"""The widget under a bad network, several shops, several scripts, and a keyboard."""

import time
from contextlib import contextmanager
from uuid import UUID

from playwright.sync_api import expect

from conversations.models import Conversation, Message, Rating
from conversations.services.lifecycle import resolve
from conversations.services.messages import post_reply
from tests.browser.world import LUMEN, TIDEWATER, Chat
from tests.support.stack import wait_for


@contextmanager
def the_talk(world, text, slug=LUMEN):
    """Sam's colleague at the desk, and the talk in which the customer wrote `text`."""
    with world.scope(slug):
        line = wait_for(lambda: Message.objects.filter(text=text).first(), 5)
        yield (
            Conversation.objects.get(pk=line.conversation_id),
            world.member("sam" if slug == LUMEN else "ravi"),
        )


def reply(world, asked, text, slug=LUMEN):
    with the_talk(world, asked, slug) as (talk, member):
        key = UUID(int=time.monotonic_ns())
        post_reply(talk, by=member, client_key=key, text=text)


def test_nothing_is_fetched_or_stored_before_the_chat_is_opened(visits, world):
    chat = visits.shop()
    expect(chat.page.locator("button.launch")).to_be_visible()
    assert not [url for url in visits.requests if "/widget/" in url and "loader" not in url]
    assert chat.page.context.cookies() == []
    assert chat.page.evaluate("localStorage.length + sessionStorage.length") == 0
    chat.open()
    expect(chat.frame.locator("#primary")).to_be_visible()
    assert chat.page.context.cookies() == []


def test_the_token_stands_in_no_address(visits):
    chat = visits.shop().begin()
    chat.say("Thanks!")
    expect(chat.answers()).to_have_count(1)
    session = chat.document.evaluate("Object.values(localStorage).find((v) => v.includes('wt_'))")
    assert session
    assert len(visits.requests) > 20
    assert not [url for url in visits.requests if "wt_" in url]


def test_a_message_whose_answer_was_lost_is_stored_once(visits, world):
    visits.network_fails = True
    chat = visits.shop().begin()
    lost = []

    def lose(route):
        if route.request.method == "POST" and not lost:
            lost.append(route.fetch().status)
            return route.abort()
        return route.continue_()

    chat.page.context.route("**/widget/v1/conversations", lose)
    chat.say("Is my answer lost?")
    expect(chat.bubble("Is my answer lost?")).to_have_count(1)
    expect(chat.answers()).to_have_count(1)
    assert lost == [201]
    with world.scope(LUMEN):
        assert Message.objects.filter(text="Is my answer lost?").count() == 1


def test_what_is_written_offline_survives_a_reload_and_is_sent(visits, world):
    visits.network_fails = True
    chat = visits.shop().begin()
    chat.say("hello there")
    expect(chat.answers()).to_have_count(1)
    posts = "**/widget/v1/conversations/*/messages"
    chat.page.context.route(
        posts, lambda route: route.abort() if route.request.method == "POST" else route.continue_()
    )
    chat.say("first while away")
    chat.say("second while away")
    expect(chat.frame.locator(".log .meta").last).to_contain_text("Not sent yet")
    chat.page.reload()
    chat.open()
    expect(chat.bubble("second while away")).to_be_visible()
    chat.page.context.unroute(posts)
    with world.scope(LUMEN):
        rows = Message.objects.filter(text__endswith="while away").order_by("seq")
        wait_for(lambda: rows.count() == 2)
        assert [row.text for row in rows] == ["first while away", "second while away"]
    expect(chat.bubble("while away")).to_have_count(2)


def test_minutes_offline_are_made_up_for_without_a_reload(visits, world):
    visits.network_fails = True
    chat = visits.shop().begin()
    chat.say("I will be away")
    expect(chat.answers()).to_have_count(1)
    context = chat.page.context
    context.set_offline(True)
    expect(chat.frame.locator("#banner-words")).to_contain_text("You are offline")
    reply(world, "I will be away", "First of two.")
    reply(world, "I will be away", "Second of two.")
    with the_talk(world, "I will be away") as (talk, sam):
        resolve(talk, by=sam)
    time.sleep(3)
    context.set_offline(False)
    began = time.monotonic()
    expect(chat.bubble("of two.")).to_have_text(["First of two.", "Second of two."])
    expect(chat.frame.locator("#reopen")).to_be_visible()
    assert time.monotonic() - began < 5


def test_a_desk_that_is_away_for_a_while_is_found_again_within_5_seconds(visits, world):
    visits.network_fails = True
    chat = visits.shop().begin()
    chat.say("Does the line hold?")
    expect(chat.answers()).to_have_count(1)
    context = chat.page.context
    world.stack.kill("web")
    try:
        time.sleep(6)  # several failed attempts: the pauses have grown as far as they do
        reply(world, "Does the line hold?", "It came back.")
    finally:
        world.stack.restart("web")
    began = time.monotonic()
    expect(chat.bubble("It came back.")).to_be_visible()
    assert time.monotonic() - began < 5
    assert context.pages[0].url.endswith("/demo/shop/")


def test_two_shops_in_one_browser_stay_apart(visits, world):
    context = visits.context()
    lamps = visits.website(LUMEN, context).begin()
    tea = visits.website(TIDEWATER, context).begin()
    lamps.say("Which bulbs fit?")
    tea.say("How hot for green tea?")
    expect(lamps.answers()).to_have_count(1)
    expect(tea.answers()).to_have_count(1)
    reply(world, "How hot for green tea?", "Ravi from the tea shop.", TIDEWATER)
    expect(tea.bubble("Ravi from the tea shop.")).to_be_visible()
    for chat, own, other in (
        (lamps, "Which bulbs fit?", "green tea"),
        (tea, "How hot for green tea?", "bulbs"),
    ):
        chat.page.reload()
        chat.open()
        expect(chat.bubble(own)).to_be_visible()
        expect(chat.bubble(other)).to_have_count(0)
    lamps.page.evaluate("Turnstone('shutdown')")
    expect(lamps.page.locator("iframe")).to_have_count(0)
    tea.page.reload()
    tea.open()
    expect(tea.bubble("How hot for green tea?")).to_be_visible()


HEBREW = "שלום, אני מנסה את bike-2000 וגרסה 2.1 לא עובדת!"


def words_in(bubble):
    """The paragraph in a bubble, or the bubble itself."""
    return bubble.locator("xpath=descendant::p | self::*[not(descendant::p)]").first


def test_every_bubble_takes_its_own_direction(visits, world):
    chat = visits.website(LUMEN, locale="en").begin()
    chat.words.fill(HEBREW)
    assert chat.words.evaluate("(node) => node.matches(':dir(rtl)')")
    chat.words.press("Enter")
    chat.say("And an English line, version 2.1!")
    reply(world, HEBREW, "أهلاً! انظر https://help.example.org/bike-2000 🙂")
    for text, direction in ((HEBREW, "rtl"), ("English line", "ltr"), ("أهلاً", "rtl")):
        expect(chat.bubble(text)).to_be_visible()
        # Asked again while the sent line takes the place of the waiting one.
        expect(words_in(chat.bubble(text))).to_have_css("direction", direction)
    assert chat.document.evaluate("document.documentElement.dir") == "ltr"

    arabic = visits.website(LUMEN, locale="ar").begin()
    assert arabic.document.evaluate("document.documentElement.dir") == "rtl"


def test_a_person_is_one_tap_away(visits, world):
    chat = visits.shop().begin()
    chat.say("Good morning!")
    expect(chat.answers()).to_have_count(1)
    chat.frame.locator("#person").click()
    expect(chat.event("A colleague has been asked to join")).to_be_visible()
    expect(chat.frame.locator("#person")).to_be_hidden()
    with the_talk(world, "Good morning!") as (talk, _):
        assert talk.handler == "team"


def test_a_resolved_talk_is_rated_once(visits, world):
    chat = visits.shop().begin()
    chat.say("Good evening!")
    expect(chat.answers()).to_have_count(1)
    with the_talk(world, "Good evening!") as (talk, sam):
        resolve(talk, by=sam)
    chat.frame.get_by_role("radio", name="Good", exact=True).check(force=True)
    chat.frame.locator("#rating-comment").fill("Quick.")
    chat.frame.get_by_role("button", name="Send rating").click()
    expect(chat.frame.locator("#after")).to_contain_text("Thank you")
    with the_talk(world, "Good evening!") as (talk, _):
        assert Rating.objects.filter(conversation=talk).values_list("score", "comment")[0] == (
            4,
            "Quick.",
        )
    chat.page.reload()
    chat.open()
    expect(chat.frame.locator("#reopen")).to_be_visible()
    expect(chat.frame.locator(".rating")).to_have_count(0)


def test_escape_closes_what_is_on_top_and_focus_returns(visits):
    chat: Chat = visits.shop().begin()
    expect(chat.words).to_be_focused()
    chat.frame.locator("#menu-button").press("Enter")
    expect(chat.frame.locator("#menu")).to_be_visible()
    chat.page.keyboard.press("Escape")
    expect(chat.frame.locator("#menu")).to_be_hidden()
    expect(chat.frame.locator("#menu-button")).to_be_focused()
    chat.page.keyboard.press("Escape")
    expect(chat.page.locator("iframe")).to_be_hidden()
    expect(chat.page.locator("button.launch")).to_be_focused()
    chat.page.keyboard.press("Enter")
    expect(chat.words).to_be_focused()
