"""Working on what was said: words changed before a customer's eyes, and drafts that wait."""

import re

from playwright.sync_api import expect

from tests.browser.test_accessibility import OPEN, WIDE, grave_faults
from tests.browser.world import Arrivals


def test_a_teammate_changes_words_in_their_place(visits):
    page = visits.desk("sam", **WIDE, **OPEN)
    page.locator("[data-card]", has_text="Cleo Marsh").click()
    said = page.locator("#items .said.by-customer").first
    said.hover()
    assert grave_faults(page) == []
    said.get_by_role("link", name="Change or black out this message").click()
    box = page.get_by_label("New words")
    expect(box).to_be_visible()
    assert grave_faults(page) == []
    box.fill("Could you **help** me?")
    page.get_by_role("button", name="Save").click()

    changed = page.locator("#items .said.by-customer").first
    expect(changed.locator("strong")).to_have_text("help")
    changed.get_by_role("link", name="(edited)").click()
    expect(changed.locator(".edit-before")).to_contain_text("before:")
    assert grave_faults(page) == []


def test_a_draft_waits_for_a_teammate_and_goes_out_in_their_name(visits):
    chat, sam = visits.shop(), visits.desk("sam", **WIDE, **OPEN)
    arrivals = Arrivals(sam)
    chat.begin().say("How long do I have to send a lamp back?")
    expect(chat.answers()).to_have_count(1)
    arrivals.open_newest()
    sam.get_by_label("The AI agent", exact=True).select_option("draft")
    expect(sam.locator("#handler-bar")).to_contain_text("writes drafts")

    chat.say("How do I reset my password?")

    card = sam.locator("#agent-draft .agent-draft")
    words = card.get_by_label("Words of the draft")
    expect(words).to_have_value(re.compile("password", re.IGNORECASE))
    assert grave_faults(sam) == []
    expect(chat.answers()).to_have_count(1)
    words.fill("Press “Forgot password?”, that is all.")
    card.get_by_role("button", name="Send as my message").click()

    expect(chat.bubble("Press “Forgot password?”, that is all.")).to_be_visible()
    expect(card).to_have_count(0)
    mine = sam.locator("#items .said.by-member").last
    expect(mine).to_contain_text("written with the AI agent")


def test_an_answer_is_taken_back_and_given_anew(visits):
    chat, sam = visits.shop(), visits.desk("sam", **WIDE, **OPEN)
    arrivals = Arrivals(sam)
    chat.begin().say("How long do I have to send a lamp back?")
    expect(chat.answers()).to_have_count(1)
    arrivals.open_newest()
    sam.get_by_role("button", name="Answer anew").click()

    expect(sam.locator("#items .is-superseded")).to_have_count(1)
    expect(sam.locator("#items .said.by-agent:not(.is-superseded)")).to_have_count(1)
    expect(chat.answers()).to_have_count(1)
    assert grave_faults(sam) == []


def test_words_of_a_refused_draft_are_not_written_over(visits):
    visits.network_fails = True  # the refusal
    chat, sam = visits.shop(), visits.desk("sam", **WIDE, **OPEN)
    arrivals = Arrivals(sam)
    chat.begin().say("How long do I have to send a lamp back?")
    expect(chat.answers()).to_have_count(1)
    arrivals.open_newest()
    sam.get_by_label("The AI agent", exact=True).select_option("draft")
    expect(sam.locator("#handler-bar")).to_contain_text("writes drafts")
    chat.say("How do I reset my password?")
    words = sam.get_by_label("Words of the draft")
    expect(words).to_be_visible()

    words.fill("Mine, and no agent's.")
    chat.say("And what does shipping cost?")
    expect(sam.locator("#items")).to_contain_text("what does shipping cost")
    sam.get_by_role("button", name="Send as my message").click()
    expect(sam.locator("#agent-draft").get_by_role("alert")).to_be_visible()
    assert grave_faults(sam) == []

    with sam.expect_response(lambda answer: answer.url.endswith("/draft/")):
        chat.say("Is anybody there?")
    expect(words).to_have_value("Mine, and no agent's.")
