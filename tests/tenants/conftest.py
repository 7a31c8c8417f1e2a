"""Two tenants: Alice owns and Bob supports at Acme; Mallory owns Globex."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.test import Client

from tenants.models import Actor, Member, Role, Tenant, User
from tenants.scoping import tenant_scope
from tenants.services.members import create_member
from tenants.services.tenants import create_tenant

PASSWORD = "correct horse battery"


@dataclass
class Team:
    """A tenant with one member of every role that a test asks for."""

    tenant: Tenant

    def join(self, name: str, role: str) -> Member:
        email = f"{name.lower()}@{self.tenant.slug}.example.com"
        user = User.objects.create_user(email, PASSWORD, name=name)
        with tenant_scope(self.tenant.id):
            return create_member(user, role=role, by=Actor.SYSTEM)

    def scope(self):
        return tenant_scope(self.tenant.id)


@pytest.fixture
def acme(db) -> Team:
    return Team(create_tenant(slug="acme", name="Acme"))


@pytest.fixture
def globex(db) -> Team:
    return Team(create_tenant(slug="globex", name="Globex"))


@pytest.fixture
def alice(acme: Team) -> Member:
    return acme.join("Alice", Role.OWNER)


@pytest.fixture
def bob(acme: Team) -> Member:
    return acme.join("Bob", Role.SUPPORT_AGENT)


@pytest.fixture
def mallory(globex: Team) -> Member:
    return globex.join("Mallory", Role.OWNER)


@pytest.fixture
def browser_of() -> Callable[[Member], Client]:
    def browser(member: Member) -> Client:
        client = Client()
        client.force_login(member.user)
        return client

    return browser
