"""The table of permissions is complete and true: each role knocks at each address."""

import re
from uuid import uuid4

import pytest
from django.test import Client

from tenants.models import Actor, Role, Tenant, User
from tenants.permissions import ROLE_PERMISSIONS, Permission
from tenants.scoping import tenant_scope
from tenants.services.keys import create_api_key
from tenants.services.members import create_member
from tenants.services.tenants import create_tenant
from tests.architecture.permissions import MEMBER_API, PAGES
from tests.architecture.routes import Route, routes

BY_NAME = {route.name: route for route in routes()}
PAGE_KNOCKS = [(name, method) for name, methods in PAGES.items() for method in methods]
API_KNOCKS = [(name, method) for name, methods in MEMBER_API.items() for method in methods]
SAMPLES = {
    "uuid": lambda: str(uuid4()),
    "int": lambda: "1",
    "slug": lambda: "x",
    "str": lambda: "x",
}


def test_every_address_is_in_the_table():
    pages = {route.name for route in routes() if route.is_tenant_page}
    api = {route.name for route in routes() if route.path.startswith("api/v1/")}
    assert pages == set(PAGES), "Say in tests/architecture/permissions.py what it needs."
    assert api == set(MEMBER_API), "Say in tests/architecture/permissions.py what it needs."


@pytest.mark.parametrize("name", PAGES)
def test_the_view_asks_for_what_the_table_says(name):
    assert {BY_NAME[name].gate} == set(PAGES[name].values())


@pytest.mark.parametrize(("name", "method"), PAGE_KNOCKS)
def test_a_page_opens_to_the_roles_that_may(house, name, method):
    address = sample_address(BY_NAME[name])
    answers = {
        role: client.generic(method, address).status_code for role, client in house.browsers.items()
    }
    assert {role for role, status in answers.items() if status == 403} == without(
        PAGES[name][method]
    )
    assert all(status < 500 and status != 405 for status in answers.values())


@pytest.mark.parametrize(("name", "method"), PAGE_KNOCKS)
def test_a_page_does_not_exist_for_others(house, name, method):
    address = sample_address(BY_NAME[name])
    assert house.stranger.generic(method, address).status_code == 404
    assert Client().generic(method, address)["Location"].startswith("/login/?next=/t/")


@pytest.mark.parametrize(("name", "method"), API_KNOCKS)
def test_an_operation_opens_to_the_roles_that_may(house, name, method):
    address = sample_address(BY_NAME[name])
    answers = {role: knock(method, address, key) for role, key in house.keys.items()}
    assert {role for role, status in answers.items() if status == 403} == without(
        MEMBER_API[name][method]
    )
    assert all(status < 500 and status != 405 for status in answers.values())


@pytest.mark.parametrize(("name", "method"), API_KNOCKS)
def test_an_operation_answers_nobody_without_a_key(house, name, method):
    assert knock(method, sample_address(BY_NAME[name]), "") == 401


def without(permission: Permission) -> set[str]:
    return {role for role, has in ROLE_PERMISSIONS.items() if permission not in has}


def sample_address(route: Route) -> str:
    """The address with ids that belong to nobody."""
    path = route.path.replace("<slug:tenant>", "acme")
    return "/" + re.sub(r"<(\w+):\w+>", lambda match: SAMPLES[match[1]](), path)


def knock(method: str, address: str, key: str) -> int:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    answer = Client().generic(
        method, address, b"{}", content_type="application/json", headers=headers
    )
    return answer.status_code


class House:
    """A tenant with a member of every role, and somebody from next door."""

    def __init__(self) -> None:
        self.tenant = create_tenant(slug="acme", name="Acme")
        self.browsers: dict[str, Client] = {}
        self.keys: dict[str, str] = {}
        for role in Role.values:
            self.browsers[role], self.keys[role] = enter(self.tenant, role)
        self.stranger, _ = enter(create_tenant(slug="globex", name="Globex"), Role.OWNER)


def enter(tenant: Tenant, role: str) -> tuple[Client, str]:
    user = User.objects.create_user(f"{role}@{tenant.slug}.example.com", name=role.title())
    with tenant_scope(tenant.id):
        member = create_member(user, role=role, by=Actor.SYSTEM)
        _, key = create_api_key(member, label="test")
    client = Client()
    client.force_login(user)
    return client, key


@pytest.fixture
def house(db) -> House:
    return House()
