"""Policies in force, talks of a given age, and whole rounds, for the tests of retention."""

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.utils import timezone

from conversations.models import Conversation, Customer, RetentionPolicy, RetentionRound
from conversations.retained import retained
from conversations.services import retention
from conversations.services.messages import start_conversation
from conversations.services.retention import PolicySettings
from conversations.services.retention_rounds import restart, step
from tenants.models import Member


def policy(by: Member, days: int = 30, name: str = "Tidy up", **asked: Any) -> RetentionPolicy:
    """A policy whose day of waiting is over."""
    made = retention.make_policy(PolicySettings(name, days, **asked), by=by)
    RetentionPolicy.objects.filter(pk=made.pk).update(starts_at=timezone.now())
    retention.start(made.id)
    made.refresh_from_db()
    return made


def aged(customer: Customer, age: timedelta, *, now: datetime, **fields: Any) -> Conversation:
    """A talk that was last active so long ago."""
    talk = start_conversation(customer, client_key=uuid4(), text="Hello").conversation
    then = now - age
    if fields.get("status") == "resolved":
        fields.setdefault("resolved_at", then)
    Conversation.objects.filter(pk=talk.pk).update(last_message_at=then, created_at=then, **fields)
    return talk


def mark() -> None:
    """Everything is marked and weighed; nothing is purged."""
    restart()
    while RetentionRound.objects.get().place <= len(retained()):
        assert step()


def whole_round() -> None:
    restart()
    while step():
        pass


def visible() -> set[Any]:
    return set(Conversation.objects.values_list("pk", flat=True))


def stored() -> set[Any]:
    return set(Conversation.stored.values_list("pk", flat=True))
