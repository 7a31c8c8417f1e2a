"""A refund from the customer's wish to the shop's books: nobody moves money but a person."""

import json
import urllib.request

from playwright.sync_api import expect

from tests.browser.test_accessibility import OPEN, grave_faults

WISH = "Please refund 20 for order 1003, the lamp came broken."


def refunds(world, number):
    with urllib.request.urlopen(f"{world.url}/demo/shop/orders/{number}") as answer:
        return [given["amount"] for given in json.load(answer)["refunds"]]


def test_a_refund_waits_for_sam_and_happens_once(visits, world):
    chat, sam = visits.shop(), visits.desk("sam", **OPEN)
    overview = visits.desk("alice", **OPEN)
    overview.get_by_role("link", name="Approvals").click()
    expect(overview.get_by_text("Nothing waits for you")).to_be_visible()

    chat.begin().say(WISH)
    expect(chat.event("A colleague must confirm this")).to_be_visible()
    sam.locator("[data-card]", has_text="Please refund 20").first.click()
    card = sam.locator("#pending-approvals .approval")
    expect(card).to_contain_text("1003")
    expect(overview.locator(".approval")).to_contain_text("the lamp came broken")
    assert grave_faults(sam) == []
    assert grave_faults(overview) == []
    assert refunds(world, "1003") == []

    chat.say("Where is order 1004?")
    expect(chat.answers()).to_have_count(1)
    card.get_by_label("Comment for the team and the agent").fill("Seen the photo.")
    card.get_by_role("button", name="Approve").click()

    expect(chat.bubble("Refunded 20.00 for order 1003.")).to_be_visible()
    expect(card).to_have_count(0)
    expect(sam.locator("#items", has_text="Sam Okafor approved refund order")).to_be_visible()
    expect(overview.locator("#approvals li").first).to_contain_text("Seen the photo.")
    assert refunds(world, "1003") == [20.0]
