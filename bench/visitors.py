"""Customers with open sessions, in bulk."""

from datetime import timedelta
from uuid import UUID

from django.db.models.functions import Now

from bench import seeding
from bench.stack import Visitor
from conversations.models import Conversation, Customer, WidgetToken
from conversations.services.sessions import WIDGET_TOKEN
from tenants.crypto import hash_token, new_token
from tenants.models import Actor, Tenant
from tenants.scoping import tenant_scope
from tenants.services.keys import create_widget_key


def visitors(tenant: Tenant, port: int, count: int) -> list[tuple[Visitor, UUID]]:
    """So many customers, each with a session and one open conversation that has a title."""
    with tenant_scope(tenant.id):
        key, _ = create_widget_key(label="bench", by=Actor.SYSTEM)
        customers = Customer.objects.bulk_create(
            Customer(name=f"Customer {n}") for n in range(count)
        )
        talks = Conversation.objects.bulk_create(
            Conversation(customer=one, title="A talk", title_by="agent") for one in customers
        )
        plain = [new_token(WIDGET_TOKEN, tenant.id) for _ in customers]
        WidgetToken.objects.bulk_create(
            WidgetToken(
                widget_key=key, customer=one, token_hash=hash_token(token),
                expires_at=Now() + timedelta(hours=23),
            )
            for one, token in zip(customers, plain, strict=True)
        )  # fmt: skip
    seeding.settle()
    return [(Visitor(port, token), talk.id) for token, talk in zip(plain, talks, strict=True)]
