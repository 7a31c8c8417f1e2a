"""The privacy desk as an officer uses it: what is due, a visit of staff ended, a certificate."""

from zipfile import ZipFile

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from conversations.models import Customer, ErasureRequest, RetentionRun
from conversations.services import exports, holds
from conversations.services.certificates import issue
from conversations.services.erasure_requests import ask_by_mail
from conversations.services.erasure_states import MAIL
from conversations.services.messages import start_conversation
from conversations.services.retention import PolicySettings, make_policy
from tenants import crypto, due
from tenants.models import StaffVisit, Tenant, User
from tenants.scoping import current_tenant_id, new_id
from tenants.services.staff import open_visit
from tests.browser.test_accessibility import LOOKS, OPEN, grave_faults
from tests.browser.world import LUMEN

FACTS = {
    "counts": {"messages": 12, "notes": 1},
    "scanner": "1",
    "hashes": {"manifest": "ab" * 32},
    "remains": [{"what": "Entries of the audit record", "why": "By pseudonym", "until": None}],
}


def let_staff_in(world) -> None:
    operator, _ = User.objects.get_or_create(
        email="operator@example.com", defaults={"name": "Operator", "is_staff": True}
    )
    with world.scope(LUMEN):
        tenant = Tenant.objects.get(slug=LUMEN)
        open_visit(tenant, by=operator, reason="support", case="CASE-17", minutes=30)


@pytest.mark.parametrize("look", LOOKS, ids=["wide", "narrow and dark"])
def test_the_desk_at_work_has_no_barrier(visits, world, look):
    let_staff_in(world)
    with world.scope(LUMEN):
        certificate = issue("erasure", facts=FACTS)
    page = visits.desk("petra", **look, **OPEN)
    faults = {}
    for path in ("privacy/", "privacy/certificates/", f"privacy/certificates/{certificate.id}/",
                 "privacy/record/", "audit/", "audit/?kind=staff&about=nothing"):  # fmt: skip
        page.goto(f"{world.url}/t/{LUMEN}/{path}")
        faults[path] = grave_faults(page)
    assert {path: found for path, found in faults.items() if found} == {}


@pytest.mark.parametrize("look", LOOKS, ids=["wide", "narrow and dark"])
def test_what_is_under_way_has_no_barrier(visits, world, look):
    with world.scope(LUMEN):
        olga, customer = world.member("olga"), Customer.objects.create(
            name="Nina Waits", email=f"{new_id().hex}@example.org"
        )  # fmt: skip
        waiting = make_policy(PolicySettings("Tidy up", 365), by=olga)
        holds.place(customer, reason="Case 12", by=olga)
        asked = ask_by_mail(Customer.objects.create(
            name="Moe Asks", email=f"{new_id().hex}@example.org"), by=olga, reason="By mail.",
        )  # fmt: skip
        export = exports.ask(customer, by=exports.Asker.member(olga))
        run = RetentionRun.objects.create(
            policy_id=waiting.id, name=waiting.name, days=365, due=1200, held_back_at=timezone.now()
        )
    page = visits.desk("olga", **look, **OPEN)
    faults = {}
    for path in ("", "retention/", f"retention/{waiting.id}/change/", "holds/", "requests/",
                 f"requests/{asked.id}/", f"requests/{asked.id}/refuse/", "exports/",
                 f"exports/{export.id}/", f"exports/{export.id}/fetch/", "holds/new/",
                 f"retention/runs/{run.id}/confirm/",
                 "retention/new/", "requests/systems/", "requests/systems/add/"):  # fmt: skip
        page.goto(f"{world.url}/t/{LUMEN}/privacy/{path}")
        faults[path] = grave_faults(page)
    assert {path: found for path, found in faults.items() if found} == {}


@pytest.mark.parametrize("look", LOOKS, ids=["wide", "narrow and dark"])
@pytest.mark.parametrize("language", ["en", "ar"])
def test_the_mailed_link_s_page_is_in_the_person_s_language(visits, world, look, language):
    visits.network_fails = True  # the second time the link is refused
    with world.scope(LUMEN):
        person = Customer.objects.create(
            name="Lena Links", email=f"{new_id().hex}@example.org", locale=language
        )
        asked = ask_by_mail(person, by=world.member("olga"), reason="By mail.")
        due.cancel(MAIL, asked.id)  # a letter would carry a link of its own
        token = crypto.new_token(crypto.ERASURE_LINK, current_tenant_id())
        ErasureRequest.objects.filter(pk=asked.pk).update(
            token_hash=crypto.hash_token(token), token_expires_at=asked.due_at
        )
    page = visits.context(**look, locale=language).new_page()
    page.goto(f"{world.url}/privacy/confirm/{token}/")
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(page.locator("html")).to_have_attribute("dir", "rtl" if language == "ar" else "ltr")
    faults = [grave_faults(page)]

    page.keyboard.press("Tab")  # the one button of the page
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_be_focused()
    faults.append(grave_faults(page))
    page.goto(f"{world.url}/privacy/confirm/{token}/")
    expect(page.locator("html")).to_have_attribute("lang", language)
    faults.append(grave_faults(page))
    assert faults == [[], [], []]


@pytest.mark.parametrize("look", LOOKS, ids=["wide", "narrow and dark"])
def test_a_download_says_what_became_of_its_link(visits, world, look, tmp_path):
    visits.network_fails = True  # the wrong password, and the link's second time
    with world.scope(LUMEN):
        customer = Customer.objects.create(name="ليلى", locale="ar")
        start_conversation(customer, client_key=new_id(), text="مرحبا")
        export = exports.ask(customer, by=exports.Asker.member(world.member("petra")))
    page = visits.desk("petra", **look)
    page.goto(f"{world.url}/t/{LUMEN}/privacy/exports/{export.id}/")
    page.get_by_role("link", name="Download").first.click(timeout=30_000)

    page.get_by_label("Your password").fill("not this")
    page.get_by_role("button", name="Download").click()
    expect(page.get_by_label("Your password")).to_be_focused()
    page.get_by_label("Your password").fill(world.login_of("petra", LUMEN)[1])
    with page.expect_download() as kept:
        page.get_by_role("button", name="Download").click()
    expect(page.get_by_text("Your download has begun")).to_be_visible()
    expect(page.locator("#notice")).to_be_focused()
    faults = [grave_faults(page)]

    page.get_by_role("link", name="Use the link by hand").click()
    expect(page.get_by_text("This link was used on")).to_be_visible()
    expect(page.locator("#notice")).to_be_focused()
    expect(page.get_by_role("link", name="Ask for a new link")).to_be_visible()
    faults.append(grave_faults(page))
    with ZipFile(kept.value.path()) as copy:
        copy.extract("index.html", tmp_path)
    page.goto((tmp_path / "index.html").as_uri())
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    faults.append(grave_faults(page))
    assert faults == [[], [], []]


@pytest.mark.parametrize("look", LOOKS, ids=["wide", "narrow and dark"])
def test_the_end_of_a_workspace_has_no_barrier(visits, world, look):
    page = visits.desk("olga", **look, **OPEN)
    faults = {}
    for path in ("end/", "end/close/"):
        page.goto(f"{world.url}/t/{LUMEN}/{path}")
        faults[path] = grave_faults(page)
    assert {path: found for path, found in faults.items() if found} == {}


def test_an_officer_sees_staff_and_ends_their_visit_with_one_click(visits, world):
    let_staff_in(world)
    page = visits.desk("petra")
    page.goto(f"{world.url}/t/{LUMEN}/privacy/")

    expect(page.get_by_role("row", name="CASE-17")).to_be_visible()
    page.get_by_role("button", name="End the visit now").click()

    expect(page.get_by_text("can read nothing any more")).to_be_visible()
    with world.scope(LUMEN):
        assert not StaffVisit.objects.filter(ended_at__isnull=True).exists()
    page.goto(f"{world.url}/t/{LUMEN}/audit/?action=staff.visit_ended")
    expect(page.get_by_role("cell", name="ended an entry of platform staff")).to_be_visible()


def test_a_certificate_is_kept_as_a_print(visits, world):
    with world.scope(LUMEN):
        issue("erasure", facts=FACTS)
    page = visits.desk("petra")
    page.goto(f"{world.url}/t/{LUMEN}/privacy/")
    page.get_by_role("link", name="Certificates").click()
    page.get_by_role("link", name="Erasure of a customer").first.click()

    with page.expect_download() as kept:
        page.get_by_role("link", name="PDF").click()

    assert kept.value.path().read_bytes().startswith(b"%PDF-")
