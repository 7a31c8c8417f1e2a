"""The web admin in a member's browser: what stands in the lists, in the dark, on a telephone."""

import pytest
from playwright.sync_api import expect

from agents.models import Article
from tenants.models import User
from tests.browser.world import LUMEN


@pytest.mark.parametrize("order", [["mine", "unassigned", "agent", "all"], ["all", "mine"]])
def test_each_count_is_the_length_of_its_list(visits, order):
    page = visits.desk("sam")
    for name in order:
        tab = page.locator(f"[data-tab={name}]")
        tab.click()
        expect(tab).to_have_attribute("aria-current", "true")
        expect(page.locator("[data-card]")).to_have_count(
            int(tab.locator(".tab-count").inner_text())
        )


def test_a_note_stays_in_the_team(visits, world):
    chat = visits.shop().begin()
    chat.say("Hello! A note will be written about me.")
    expect(chat.answers()).to_have_count(1)
    ines = visits.desk("ines")
    ines.locator("[data-card]").first.click()
    expect(ines.locator("#items")).to_contain_text("A note will be written about me.")
    heard = []

    def remember(answer):
        heard.append(answer)

    chat.page.context.on("response", remember)
    ines.keyboard.press("Alt+KeyP")
    ines.keyboard.type("Smells like fraud")
    ines.keyboard.press("Control+Enter")
    expect(ines.locator(".by-note")).to_contain_text("Smells like fraud")
    chat.page.reload()
    chat.open()
    expect(chat.answers()).to_have_count(1)
    assert "fraud" not in chat.frame.locator("body").inner_text()
    lines = [answer for answer in heard if "/messages" in answer.url]
    assert lines
    assert not [answer.url for answer in lines if "fraud" in answer.text()]


def test_the_chosen_appearance_stays(visits):
    page = visits.desk("vera", color_scheme="light")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    bright = page.evaluate(ground)
    page.get_by_role("button", name="You").click()
    page.get_by_role("button", name="Dark", exact=True).click()
    dark = page.evaluate(ground)
    assert dark != bright
    page.reload()
    assert page.evaluate(ground) == dark


def test_a_telephone_shows_one_pane_at_a_time(visits):
    page = visits.desk("sam", viewport={"width": 390, "height": 780}, has_touch=True)
    wider = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    card = page.locator("[data-card]", has_text="Cleo Marsh")
    card.tap()
    expect(page.locator("#items .by-note")).to_be_visible()
    expect(card).to_be_hidden()
    assert not page.evaluate(wider)
    page.get_by_role("button", name="Details").first.tap()
    expect(page.locator("#d-title")).to_be_visible()
    page.get_by_role("button", name="Close the details").tap()
    page.get_by_role("link", name="Back to the list").tap()
    expect(card).to_be_visible()
    page.get_by_role("button", name="Menu").tap()
    page.get_by_role("link", name="Usage").tap()
    expect(page.get_by_role("heading", name="Usage")).to_be_visible()
    assert not page.evaluate(wider)


def test_an_article_is_written_tried_quoted_and_deleted(visits, world):
    page = visits.desk("alice")
    page.get_by_role("link", name="Knowledge", exact=True).click()
    page.get_by_role("link", name="New article").click()
    page.get_by_label("Title").fill("Lanterns for boats")
    page.get_by_label("Text").fill("# Lanterns for boats\n\nOur boat lanterns resist salt water.")
    expect(page.locator("#preview")).to_contain_text("resist salt water")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("link", name="Lanterns for boats")).to_be_visible()
    page.get_by_label("A customer's question").fill("Do boat lanterns resist salt water?")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#results .passage").first).to_contain_text("resist salt water")

    chat = visits.shop().begin()
    chat.say("Do boat lanterns resist salt water?")
    expect(chat.bubble("Our boat lanterns resist salt water")).to_be_visible()

    page.get_by_role("link", name="Lanterns for boats").first.click()
    page.on("dialog", lambda question: question.accept())
    page.get_by_role("button", name="Delete").click()
    expect(page.locator("main table")).not_to_contain_text("Lanterns for boats")
    with world.scope(LUMEN):
        assert not Article.objects.filter(title="Lanterns for boats").exists()


def test_an_owner_invites_somebody_who_joins(visits, world):
    page = visits.desk("olga")
    page.get_by_role("link", name="Team", exact=True).click()
    page.get_by_role("link", name="Invite a teammate").click()
    page.get_by_label("E-mail address").fill("nora@example.org")
    page.get_by_label("Role").select_option("viewer")
    page.get_by_role("button", name="Make the invitation").click()
    link = page.locator("main").inner_text().split("http", 1)[1].split()[0]
    guest = visits.context().new_page()
    guest.goto(f"http{link}")
    guest.get_by_label("Name").fill("Nora Field")
    for field in guest.locator("input[type=password]").all():
        field.fill("a long enough password 7")
    guest.get_by_role("button", name="Join").click()
    guest.wait_for_url(f"**/t/{LUMEN}/")
    expect(guest.locator("#list")).to_be_visible()
    expect(guest.get_by_role("link", name="Team", exact=True)).to_have_count(0)


def test_the_back_office_opens_for_staff_only(visits, world):
    visits.network_fails = True  # the page that is not there for Olga
    User.objects.create_user("opal@platform.example.org", "a password", name="Opal", is_staff=True)
    owner = visits.desk("olga")
    assert owner.goto(f"{world.url}/staff/").status == 404
    staff = visits.context().new_page()
    staff.goto(f"{world.url}/staff/")
    staff.get_by_label("E-mail").fill("opal@platform.example.org")
    staff.get_by_label("Password").fill("a password")
    staff.get_by_role("button", name="Sign in").click()
    staff.wait_for_url("**/staff/")
    expect(staff.get_by_role("link", name="Tenants").first).to_be_visible()
    assert staff.goto(f"{world.url}/staff/tenants/tenant/").status == 200
