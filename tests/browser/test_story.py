"""From the shop's page to the bill: one talk, a customer, the agent and Sam."""

import re
import time

from playwright.sync_api import expect

from tests.browser.world import Arrivals

ANSWER = re.compile("Forgot password")


def test_a_talk_from_the_first_question_to_its_cost(visits):
    chat = visits.shop()
    sam = visits.desk("sam")
    arrivals = Arrivals(sam, "Sign in and choose")

    chat.begin().say("How do I reset my password?")
    expect(
        chat.frame.locator(".row--growing .bubble, .log .row--agent .bubble").first
    ).to_be_visible()
    expect(chat.bubble(ANSWER)).to_be_visible()
    expect(chat.frame.locator(".sources .chip").first).to_contain_text("Passwords")
    expect(chat.frame.locator("#typing")).to_be_hidden()

    arrivals.open_newest()
    expect(sam.locator("#items .by-agent", has_text=ANSWER)).to_be_visible()

    sam.get_by_role("button", name="Take over", exact=True).click()
    expect(chat.event("Sam Okafor joined")).to_be_visible()
    expect(chat.strip()).to_contain_text("Sam Okafor")
    expect(chat.frame.locator("#typing")).to_be_hidden()

    chat.say("Is somebody there?")
    expect(sam.locator("#items .by-customer", has_text="Is somebody there?")).to_be_visible()
    sam.locator("#composer-text").fill("Yes, I am here.")
    sam.locator("#composer-text").press("Control+Enter")
    expect(chat.bubble("Yes, I am here.")).to_be_visible()
    expect(chat.frame.locator(".author__name").last).to_have_text("Sam Okafor")
    expect(chat.answers()).to_have_count(1)

    _hand_back_and_ask_again(chat, sam)
    _cost_is_shown(sam)


def _hand_back_and_ask_again(chat, sam):
    sam.get_by_role("button", name="Hand back to Lumi").click()
    expect(chat.event("The AI agent answers again")).to_be_visible()
    chat.say("How long is the warranty?")
    expect(chat.answers()).to_have_count(2)
    expect(sam.locator("#items .by-agent")).to_have_count(2)


def _cost_is_shown(sam):
    turns = sam.locator("#turns .turn")
    expect(turns).to_have_count(2)
    expect(sam.locator("#turns .turn-facts").first).to_contain_text("tokens in")
    sam.get_by_role("link", name="Usage").click()
    expect(sam.get_by_role("heading", name="Usage")).to_be_visible()
    expect(sam.locator("main")).to_contain_text("offline")


def test_the_first_word_comes_quickly(visits):
    chat = visits.shop().begin()
    chat.words.fill("How do I reset my password?")
    began = time.monotonic()
    chat.words.press("Enter")
    expect(
        chat.frame.locator(".row--growing .bubble, .log .row--agent .bubble").first
    ).to_be_visible()
    print(f"first word after {time.monotonic() - began:.2f} s")
    assert time.monotonic() - began < 3
