"""The back office is for platform operators, and shows no tenant's content."""

import pytest
from django.test import Client

from tenants.models import Tenant, User
from tenants.selectors.audit import platform_acts

PAGES = [
    "",
    "tenants/tenant/",
    "tenants/user/",
    "acts/",
    "tenants/tenant/add/",
]


@pytest.fixture
def operator(db) -> User:
    return User.objects.create_user("olga@platform.example.com", name="Olga", is_staff=True)


@pytest.fixture
def desk(operator) -> Client:
    client = Client()
    client.force_login(operator)
    return client


@pytest.mark.parametrize("page", PAGES)
def test_an_operator_opens_the_page_under_its_own_policy(desk, page, acme):
    answer = desk.get(f"/staff/{page}")
    assert answer.status_code == 200
    assert "'unsafe-eval'" in answer["Content-Security-Policy"]


@pytest.mark.parametrize("page", [*PAGES, "login/"])
def test_an_owner_of_a_tenant_finds_nothing_there(alice, browser_of, page):
    assert browser_of(alice).get(f"/staff/{page}").status_code == 404


def test_others_go_to_the_one_login(db):
    assert Client().get("/staff/")["Location"] == "/login/?next=/staff/"
    assert Client().get("/staff/login/")["Location"].startswith("/login/?next=/staff/")


def test_no_other_page_may_evaluate_scripts(desk, acme):
    assert "unsafe-eval" not in desk.get("/login/")["Content-Security-Policy"]


def test_only_tenants_and_accounts_are_reachable(desk, acme, alice):
    page = desk.get("/staff/").content.decode()
    assert "/staff/tenants/tenant/" in page
    for hidden in ("member", "auditentry", "apikey", "conversation", "message", "article"):
        assert f"/{hidden}/" not in page
        assert desk.get(f"/staff/tenants/{hidden}/").status_code == 404
    assert (
        "Alice" not in desk.get(f"/staff/tenants/tenant/{acme.tenant.id}/change/").content.decode()
    )


def test_suspending_a_tenant_is_recorded_by_field_names(desk, operator, acme):
    address = f"/staff/tenants/tenant/{acme.tenant.id}/change/"
    data = {"name": "Acme", "status": "suspended", "max_running_turns": 8}
    answer = desk.post(address, data | {"approval_limit": 100, "erasure_wait_hours": 72})

    assert answer.status_code == 302
    assert Tenant.objects.get(slug="acme").status == "suspended"
    act = platform_acts()[0]
    assert (act.action, act.actor_id, act.target_id) == (
        "tenant.changed", operator.id, acme.tenant.id)  # fmt: skip
    assert "status" in str(act.detail)


def test_a_tenant_is_not_deleted_here(desk, acme):
    assert desk.post(f"/staff/tenants/tenant/{acme.tenant.id}/delete/").status_code == 403


def test_accounts_are_not_made_here(desk):
    assert desk.get("/staff/tenants/user/add/").status_code == 403
