"""The pages on which an admin makes the agent: what a form says, and what fits a small screen."""

from playwright.sync_api import expect

from tests.browser.test_accessibility import NARROW, OPEN, WIDE, grave_faults
from tests.browser.world import LUMEN


def place(locator):
    found = locator.bounding_box()
    assert found
    return found


def test_a_refused_form_leads_to_its_fields(visits, world):
    visits.network_fails = True  # the refusal
    page = visits.desk("olga", **WIDE, **OPEN)
    page.goto(f"{world.url}/t/{LUMEN}/agent/")
    seconds = page.get_by_label("Seconds for one answer at most")
    seconds.fill("9999")
    page.get_by_role("button", name="Keep as a draft").click()

    head = page.get_by_role("alert")
    expect(head).to_contain_text("Look again at: Seconds for one answer at most")
    assert grave_faults(page) == []
    head.get_by_role("link").press("Enter")
    expect(seconds).to_be_in_viewport()

    seconds.fill("60")
    page.get_by_role("button", name="Keep as a draft").click()
    expect(page.locator(".alert-success")).to_contain_text("The draft is kept")
    assert grave_faults(page) == []
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Throw away").click()
    expect(page.locator(".alert-success")).to_contain_text("The draft is gone")


def test_a_diffs_lines_stand_below_each_other(visits, world):
    page = visits.desk("olga", **NARROW, **OPEN)
    page.goto(f"{world.url}/t/{LUMEN}/agent/")
    page.get_by_role("link", name="Version 2", exact=True).click()
    lines = page.locator(".changed-lines li")
    expect(lines.nth(1)).to_be_visible()
    first, second = place(lines.nth(0)), place(lines.nth(1))
    assert second["x"] == first["x"]
    assert second["y"] >= first["y"] + first["height"]


def test_rows_fit_a_narrow_screen_with_what_one_may_do(visits, world):
    page = visits.desk("olga", **NARROW, **OPEN)
    for path in ("agent/endpoints/", "tools/", "usage/", "agent/specialists/"):
        page.goto(f"{world.url}/t/{LUMEN}/{path}")
        tables = page.locator(".table-box")
        expect(tables.last).to_be_visible()
        wide = tables.evaluate_all("boxes => boxes.map(b => b.scrollWidth - b.clientWidth)")
        assert set(wide) == {0}, path
        assert grave_faults(page) == []


def test_textareas_are_as_high_as_their_words_deserve(visits, world):
    page = visits.desk("olga", **WIDE, **OPEN)
    page.goto(f"{world.url}/t/{LUMEN}/agent/specialists/add/")
    assert place(page.get_by_label("When to ask it"))["height"] > 60
    assert place(page.get_by_label("Instructions"))["height"] > 180


def test_the_playground_goes_on_by_keyboard(visits, world):
    page = visits.desk("olga", **WIDE, **OPEN)
    page.goto(f"{world.url}/t/{LUMEN}/agent/playground/")
    for question in ("How long do I have to send a lamp back?", "Refund 20 for order 1003."):
        box = page.get_by_label("Write as a customer")
        box.press_sequentially(question)
        box.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("#playground ol > li", has_text=question)).to_be_visible()
        expect(page.get_by_label("Write as a customer")).to_be_focused()
    expect(page.locator("#playground")).to_contain_text("would have run")
    assert grave_faults(page) == []
