"""A desk with one tenant, a few people and a talk, for tests of services; its scope is open."""

from dataclasses import dataclass
from uuid import uuid4

from conversations.models import Conversation, Customer
from conversations.services.messages import Posted, post_customer_message, start_conversation
from tenants.models import Member, Role, Tenant, User


@dataclass
class Desk:
    tenant: Tenant
    sam: Member
    ines: Member
    ada: Customer

    @classmethod
    def make(cls, slug: str = "northwind") -> "Desk":
        """The caller has opened the tenant's scope."""
        tenant = Tenant.objects.get(slug=slug)
        sam, ines = _member("Sam", slug), _member("Ines", slug)
        ada = Customer.objects.create(name="Ada", email=f"ada@{slug}.example.com")
        return cls(tenant, sam, ines, ada)

    def start(self, text: str = "Where is order 1001?") -> Conversation:
        return start_conversation(self.ada, client_key=uuid4(), text=text).conversation

    def say(self, conversation: Conversation, text: str) -> Posted:
        return post_customer_message(conversation, customer=self.ada, client_key=uuid4(), text=text)


def _member(name: str, slug: str) -> Member:
    user = User.objects.create_user(f"{name.lower()}@{slug}.example.org", name=name)
    return Member.objects.create(user=user, role=Role.SUPPORT_AGENT)
