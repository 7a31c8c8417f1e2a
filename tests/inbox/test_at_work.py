"""A member at work in the inbox: live, by keyboard, offline, without a complaint of the page."""

from uuid import uuid4

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Page, expect

from conversations.models import Conversation
from conversations.services import control, lifecycle, messages
from tests.support.cast import Cast
from tests.support.console import say, start

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# What is logged of an answer that we mean to give, while there is no network, and of a request that
# a later click replaces.
EXPECTED = (
    "409", "ERR_INTERNET_DISCONNECTED", "htmx:afterRequest", "htmx:sendError", "htmx:sendAbort",
    "undefined",
)  # fmt: skip


@pytest.fixture
def talk(cast: Cast) -> Conversation:
    with cast.acme.scope():
        return start(cast.carol)


@pytest.fixture
def inbox(page: Page, stack, cast: Cast, talk):
    """Bob, signed in, before the list; at the end the page must have had nothing to complain of."""
    complaints: list[str] = []

    def heard(line: ConsoleMessage) -> None:
        if line.type == "error":
            complaints.append(line.text)

    page.on("console", heard)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{stack.url}/login/?next=/t/acme/")
    page.fill("[name=username]", cast.acme.bob.user.email)
    page.fill("[name=password]", "correct horse battery")
    page.click("button[type=submit]")
    expect(page.locator("#list")).to_be_visible()
    page.wait_for_load_state("load")
    yield page
    assert [text for text in complaints if not any(known in text for known in EXPECTED)] == []


def open_talk(page: Page, talk: Conversation) -> None:
    page.click(f"#card-{talk.id}")
    expect(page.locator("#composer")).to_be_visible()
    expect(page.locator("#d-title")).to_be_visible()


def accessible(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    grave = [one["id"] for one in found if one["impact"] in ("serious", "critical")]
    assert grave == []


def test_take_over_answer_and_resolve_without_a_reload(inbox, cast, talk):
    open_talk(inbox, talk)
    expect(inbox.locator("#composer [value=reply]")).to_be_disabled()
    inbox.click("#handler-bar >> text=Take over")
    expect(inbox.locator("#handler-bar")).to_contain_text("You are answering")

    inbox.fill("#composer-text", "We ship on Monday.")
    inbox.keyboard.press("Control+Enter")

    expect(inbox.locator(".by-member")).to_contain_text("We ship on Monday.")
    expect(inbox.locator("#composer-text")).to_have_value("")
    with cast.acme.scope():
        say(talk, "And the colour?")
    expect(inbox.locator(".by-customer").last).to_contain_text("And the colour?")
    accessible(inbox)

    inbox.keyboard.press("Alt+KeyE")
    expect(inbox.locator("#reopen")).to_be_visible()
    expect(inbox.locator(f"#card-{talk.id}")).to_have_count(0)


def test_a_new_conversation_and_its_badge_appear_by_themselves(inbox, cast):
    badge = inbox.locator("[data-tab=all] .tab-count")
    expect(badge).to_have_text("1")
    with cast.acme.scope():
        new = start(cast.carol, "Another question")
    expect(inbox.locator(f"#card-{new.id}")).to_contain_text("Another question")
    expect(badge).to_have_text("2")


def test_a_stale_reply_is_stopped_once(inbox, cast, talk):
    with cast.acme.scope():
        control.take_over(talk, by=cast.acme.bob.member)
    open_talk(inbox, talk)
    inbox.route("**/lines/*", lambda route: route.abort("internetdisconnected"))
    inbox.fill("#composer-text", "Size M it is")
    with cast.acme.scope():
        say(talk, "Sorry, size L")
    inbox.wait_for_timeout(500)

    inbox.click("#send")

    expect(inbox.locator(".stale")).to_contain_text("Sorry, size L")
    expect(inbox.locator("#composer-text")).to_have_value("Size M it is")
    accessible(inbox)
    inbox.unroute("**/lines/*")
    inbox.click("#send")
    expect(inbox.locator(".by-member")).to_contain_text("Size M it is")


def test_the_keyboard_alone_chooses_writes_a_note_and_snoozes(inbox, talk):
    inbox.keyboard.press("Alt+KeyJ")
    expect(inbox.locator("#d-title")).to_be_visible()
    inbox.keyboard.press("Alt+KeyP")
    inbox.keyboard.type("fraud check")
    inbox.keyboard.press("Control+Enter")
    expect(inbox.locator(".by-note")).to_contain_text("fraud check")
    # A menu that is still fading in has half its colour, and half its contrast.
    inbox.emulate_media(reduced_motion="reduce")
    inbox.keyboard.press("Alt+KeyM")
    accessible(inbox)
    inbox.keyboard.press("Enter")
    expect(inbox.locator(".handler-bar.is-warning")).to_contain_text("Snoozed until")


def test_after_a_time_offline_nothing_is_missing(inbox, cast, talk):
    open_talk(inbox, talk)
    inbox.context.set_offline(True)
    alice = cast.acme.alice.member
    with cast.acme.scope():
        for words in ("First answer", "Second answer"):
            messages.post_reply(talk, by=alice, client_key=uuid4(), text=words)
        lifecycle.resolve(talk, by=alice)
    inbox.wait_for_timeout(1500)
    expect(inbox.locator(".by-member")).to_have_count(0)

    inbox.context.set_offline(False)

    expect(inbox.locator(".by-member .bubble")).to_have_text(["First answer", "Second answer"])
    expect(inbox.locator("#reopen")).to_be_visible()


def test_a_tab_that_nobody_looks_at_gives_its_streams_back(inbox, cast, talk):
    open_talk(inbox, talk)
    hide(inbox, hidden=True)
    with cast.acme.scope():
        say(talk, "while away")
    inbox.wait_for_timeout(1000)
    expect(inbox.locator(".by-customer")).to_have_count(1)

    hide(inbox, hidden=False)

    expect(inbox.locator(".by-customer")).to_have_count(2)


def hide(page: Page, *, hidden: bool) -> None:
    page.evaluate(
        "value => { Object.defineProperty(document, 'hidden', {value, configurable: true});"
        " document.dispatchEvent(new Event('visibilitychange')); }",
        hidden,
    )
