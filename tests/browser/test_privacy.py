"""The privacy desk as an officer uses it: what is due, a visit of staff ended, a certificate."""

import pytest
from playwright.sync_api import expect

from conversations.models import Customer
from conversations.services import exports, holds
from conversations.services.certificates import issue
from conversations.services.erasure_requests import ask_by_mail
from conversations.services.retention import PolicySettings, make_policy
from tenants.models import StaffVisit, Tenant, User
from tenants.scoping import new_id
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
    page = visits.desk("olga", **look, **OPEN)
    faults = {}
    for path in ("", "retention/", f"retention/{waiting.id}/change/", "holds/", "requests/",
                 f"requests/{asked.id}/", f"requests/{asked.id}/refuse/", "exports/",
                 f"exports/{export.id}/", f"exports/{export.id}/fetch/"):  # fmt: skip
        page.goto(f"{world.url}/t/{LUMEN}/privacy/{path}")
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
