"""Platform staff read nothing without a reasoned visit, which the tenant sees and ends."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tenants.models import AuditEntry, StaffVisit, User
from tenants.selectors.audit import platform_acts
from tests.support.console import Browser, start, text_of

WHY = {"reason": "support", "case": "CASE-17", "minutes": 30}


@pytest.fixture
def operator(db):
    return User.objects.create_user("olga@platform.example.com", name="Olga", is_staff=True)


@pytest.fixture
def staff(operator):
    client = Client()
    client.force_login(operator)
    return client


@pytest.fixture
def talk(cast):
    with cast.acme.scope():
        return start(cast.carol, "My parcel is lost")


def enter(staff, cast, **changed):
    return staff.post(f"/staff/tenants/tenant/{cast.acme.tenant.id}/visit/", WHY | changed)


def acts(cast):
    with cast.acme.scope():
        return list(AuditEntry.objects.order_by("created_at").values_list("action", flat=True))


def test_without_a_visit_nothing_of_a_tenant_exists_for_staff(cast, staff, talk):
    assert staff.get("/staff/in/acme/").status_code == 404
    assert staff.get(f"/staff/in/acme/{talk.id}/").status_code == 404
    assert staff.get("/t/acme/").status_code == 404


def test_a_visit_shows_a_talk_and_says_so_to_the_tenant(cast, staff, operator, talk):
    assert enter(staff, cast)["Location"] == "/staff/in/acme/"
    listed, read = staff.get("/staff/in/acme/"), staff.get(f"/staff/in/acme/{talk.id}/")

    assert "My parcel is lost" not in text_of(listed)
    assert "My parcel is lost" in text_of(read)
    assert "Carol" not in text_of(listed) + text_of(read)
    assert acts(cast)[-2:] == ["staff.visit", "staff.read"]
    with cast.acme.scope():
        entry = AuditEntry.objects.get(action="staff.visit")
    assert (entry.actor_kind, entry.actor_id) == ("staff", operator.id)
    assert (entry.detail["reason"], entry.detail["case"]) == ("support", "CASE-17")
    assert platform_acts()[0].action == "staff.visit"


def test_it_opens_one_tenant_only(cast, staff):
    enter(staff, cast)
    assert staff.get("/staff/in/globex/").status_code == 404


def test_another_operator_needs_an_own_one(cast, staff):
    enter(staff, cast)
    other = Client()
    other.force_login(User.objects.create_user("o2@platform.example.com", name="O", is_staff=True))
    assert other.get("/staff/in/acme/").status_code == 404


def test_it_is_over_when_its_time_is(cast, staff):
    enter(staff, cast)
    with cast.acme.scope():
        StaffVisit.objects.update(until=timezone.now() - timedelta(seconds=1))
    assert staff.get("/staff/in/acme/").status_code == 404
    assert enter(staff, cast).status_code == 302


@pytest.mark.parametrize("page", ["conversations:privacy", "tenants:audit"])
def test_the_tenant_sees_it_and_ends_it_with_one_click(cast, staff, page):
    enter(staff, cast)
    petra = Browser(cast.acme, cast.acme.petra)
    with cast.acme.scope():
        visit = StaffVisit.objects.get()

    shown = text_of(petra.get(page))
    assert "CASE-17" in shown
    assert petra.url("tenants:end-visit", visit.id) in shown
    petra.post("tenants:end-visit", visit.id)
    petra.post("tenants:end-visit", visit.id)

    assert staff.get("/staff/in/acme/").status_code == 404
    assert acts(cast).count("staff.visit_ended") == 1
    assert petra.url("tenants:end-visit", visit.id) not in text_of(petra.get(page))


def test_staff_leave_by_themselves(cast, staff):
    enter(staff, cast)
    staff.post("/staff/in/acme/end/")
    assert staff.get("/staff/in/acme/").status_code == 404
    assert acts(cast)[-1] == "staff.visit_ended"


@pytest.mark.parametrize("wrong", [{"case": "call Ann Miller"}, {"reason": ""}, {"minutes": 241}])
def test_without_reason_number_and_limit_there_is_none(cast, staff, wrong):
    assert enter(staff, cast, **wrong).status_code == 200
    assert "staff.visit" not in acts(cast)


def test_members_cannot_enter_that_way(cast, talk):
    olga = Browser(cast.acme, cast.acme.olga)
    assert olga.client.get("/staff/in/acme/").status_code == 404
    assert Client().get("/staff/in/acme/")["Location"].startswith("/login/?next=/staff/in/")
