"""The people of the tests: two tenants, a member of every role, a customer."""

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from uuid import UUID

from conversations.models import Customer
from tenants.models import Actor, Member, Role, Tenant, User, WidgetKey
from tenants.scoping import tenant_scope
from tenants.services import keys, members, tenants
from tests.support.contract import ContractClient

SITE = "https://shop.example.com"


@dataclass
class Person:
    """A member with an API key."""

    user: User
    member: Member
    api_key: str

    def client(self) -> ContractClient:
        """Calls the member API as this person."""
        return ContractClient(headers={"Authorization": f"Bearer {self.api_key}"})


@dataclass
class Company:
    """A tenant with a widget key and its people, by first name in small letters."""

    tenant: Tenant
    widget_key: WidgetKey
    identity_secret: str
    people: dict[str, Person] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Person:
        try:
            return self.people[name]
        except KeyError:
            raise AttributeError(name) from None

    def scope(self) -> AbstractContextManager[UUID]:
        return tenant_scope(self.tenant.id)

    def hire(self, name: str, role: Role) -> Person:
        email = f"{name}@{self.tenant.slug}.example.com"
        user = User.objects.create_user(email, "correct horse battery", name=name.title())
        with self.scope():
            member = members.create_member(user, role=role, by=Actor.SYSTEM)
            _, token = keys.create_api_key(member, label=name, by=Actor.SYSTEM)
        self.people[name] = Person(user, member, token)
        return self.people[name]


@dataclass
class Cast:
    """Acme with everyone, Globex with Mallory, and Carol, a customer of Acme."""

    acme: Company
    globex: Company
    carol: Customer


def found(slug: str) -> Company:
    """A tenant of that name with a widget key for `SITE`."""
    tenant = tenants.create_tenant(slug=slug, name=slug.title())
    with tenant_scope(tenant.id):
        key, secret = keys.create_widget_key(label="shop", by=Actor.SYSTEM, allowed_origins=[SITE])
    return Company(tenant, key, secret)


def make_cast() -> Cast:
    acme, globex = found("acme"), found("globex")
    for name, role in [
        ("olga", Role.OWNER),
        ("alice", Role.ADMIN),
        ("bob", Role.SUPPORT_AGENT),
        ("petra", Role.PRIVACY_OFFICER),
        ("vera", Role.VIEWER),
    ]:
        acme.hire(name, role)
    globex.hire("mallory", Role.ADMIN)
    with acme.scope():
        carol = Customer.objects.create(name="Carol", email="carol@example.org")
    return Cast(acme, globex, carol)
