"""axe finds nothing serious on any page, light or dark, wide or narrow, nor in any state."""

from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import expect

from tests.browser.world import LUMEN, TIDEWATER

AXE = next(Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text()
WIDE = {"viewport": {"width": 1440, "height": 900}}
NARROW = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "color_scheme": "dark"}
LOOKS = [WIDE, NARROW]
# The pages' policy would not let a test bring its own script along.
OPEN = {"bypass_csp": True, "reduced_motion": "reduce"}

PAGES = [
    "", "?q=nothing-like-this", "?tab=mine", "approvals/", "knowledge/", "knowledge/add/",
    "knowledge/search/?q=how+long+for+returns", "tools/", "tools/refund_order/", "usage/",
    "agent/", "agent/playground/", "agent/endpoints/", "agent/endpoints/add/", "agent/tools/",
    "agent/tools/add/", "agent/tools/mcp/", "agent/tools/mcp/add/",
    "team/", "team/invite/", "keys/",
    "keys/add/", "api-keys/", "api-keys/add/", "audit/",
    "agent/specialists/", "agent/specialists/add/", "customers/", "end/",
    "privacy/", "privacy/certificates/", "privacy/record/", "privacy/requests/",
    "privacy/requests/systems/", "privacy/requests/systems/add/", "privacy/retention/",
    "privacy/retention/new/", "privacy/holds/", "privacy/holds/new/", "privacy/exports/",
    "nothing-here/",
]  # fmt: skip


def grave_faults(frame):
    frame.evaluate(AXE + "; 0")
    found = frame.evaluate("axe.run(document, {iframes: false, resultTypes: ['violations']})")[
        "violations"
    ]
    return [
        (one["id"], [node["html"][:120] for node in one["nodes"]][:3])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("look", LOOKS, ids=["wide", "narrow and dark"])
def test_every_page_of_the_web_admin(visits, world, look):
    visits.network_fails = True  # the page that is not there
    page = visits.desk("olga", **look, **OPEN)
    faults = {}
    for path in PAGES:
        page.goto(f"{world.url}/t/{LUMEN}/{path}")
        faults[path] = grave_faults(page)
    assert {path: found for path, found in faults.items() if found} == {}


@pytest.mark.parametrize("look", LOOKS, ids=["wide", "narrow and dark"])
def test_the_inbox_at_work(visits, look):
    page = visits.desk("sam", **look, **OPEN)
    page.locator("[data-card]", has_text="Cleo Marsh").click()
    expect(page.locator("#items .by-note")).to_be_visible()
    assert grave_faults(page) == []
    page.keyboard.press("Alt+KeyM")
    assert grave_faults(page) == []
    page.locator("#log").focus()
    page.keyboard.press("?")
    expect(page.locator("#shortcuts")).to_be_visible()
    assert grave_faults(page) == []


@pytest.mark.parametrize("look", LOOKS, ids=["wide", "narrow and dark"])
def test_every_state_of_the_widget(visits, look):
    visits.network_fails = True
    chat = visits.website(TIDEWATER, visits.context(**look, **OPEN))
    chat.open()
    expect(chat.frame.locator("#primary")).to_be_visible()
    faults = {"home": grave_faults(chat.document)}
    chat.frame.locator("#primary").click()
    chat.say("How hot should the water be for green tea?")
    expect(chat.frame.locator(".sources")).to_be_visible()
    faults["answer"] = grave_faults(chat.document)
    chat.page.context.set_offline(True)
    chat.say("Not sent yet")
    expect(chat.frame.locator("#banner-words")).to_contain_text("offline")
    faults["offline"] = grave_faults(chat.document)
    chat.page.context.set_offline(False)
    chat.frame.locator("#menu-button").click()
    faults["menu"] = grave_faults(chat.document)
    chat.frame.locator("#menu-erase").click()
    chat.frame.locator("dialog .button--danger").click()
    expect(chat.frame.locator("[data-kind=bad]")).to_be_visible()
    faults["refused"] = grave_faults(chat.document)
    chat.page.keyboard.press("Escape")
    chat.frame.locator("#back").click()
    expect(chat.frame.locator(".talk")).to_be_visible()
    faults["list"] = grave_faults(chat.document)
    assert {state: found for state, found in faults.items() if found} == {}


def test_the_doors(visits, world):
    page = visits.context(**OPEN).new_page()
    for path in ("login/", "demo/shop/"):
        page.goto(f"{world.url}/{path}")
        assert grave_faults(page) == [], path
