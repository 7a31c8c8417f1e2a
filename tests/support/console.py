"""A member's browser, and what the web admin's tests ask of it."""

from typing import Any
from uuid import UUID, uuid4

from django.test import Client
from django.urls import reverse

from conversations.models import Conversation, Customer
from conversations.services.messages import post_customer_message, start_conversation
from tests.support.cast import Company, Person


class Browser:
    """Signed in as somebody; names pages as the templates do."""

    def __init__(self, company: Company, person: Person | None) -> None:
        self.slug = company.tenant.slug
        self.client = Client()
        if person:
            self.client.force_login(person.user)
            # The first page of a session writes down the tenant; count without it.
            self.client.get(f"/t/{self.slug}/")

    def url(self, name: str, *ids: UUID) -> str:
        return reverse(name, args=[self.slug, *ids])

    def get(self, name: str, /, *ids: UUID, target: str = "", **query: Any):
        return self.client.get(self.url(name, *ids), query, headers=_htmx(target))

    def post(self, name: str, /, *ids: UUID, target: str = "", **data: Any):
        return self.client.post(self.url(name, *ids), data, headers=_htmx(target))


def _htmx(target: str) -> dict[str, str]:
    return {"HX-Request": "true", "HX-Target": target} if target else {}


def start(customer: Customer, text: str = "Where is order 1001?") -> Conversation:
    return start_conversation(customer, client_key=uuid4(), text=text).conversation


def say(conversation: Conversation, text: str) -> None:
    post_customer_message(
        conversation, customer=conversation.customer, client_key=uuid4(), text=text
    )


def text_of(answer: Any) -> str:
    return str(answer.content.decode())
