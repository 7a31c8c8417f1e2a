"""A hold and a purge that meet, on two real connections: whoever locks first is obeyed."""

import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from itertools import cycle
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from conversations.models import (
    Conversation,
    ConversationLabel,
    Customer,
    Kind,
    Label,
    LegalHold,
    Message,
    WidgetToken,
)
from conversations.retained import retained
from conversations.services import holds
from conversations.services.purging import Purged, purge_conversations, purge_customer
from conversations.services.retention_logs import take_logs
from tenants.models import Role
from tenants.scoping import tenant_scope
from tests.privacy.policies import policy
from tests.support.cast import Company, found

RACES = 500
Act = Callable[[], object]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(240)]


def _talks(company: Company) -> list[tuple[Conversation, Any]]:
    """Small rows, each with a customer and a label of its own, and what is to be held of it."""
    with company.scope():
        customers = Customer.objects.bulk_create(Customer() for _ in range(RACES))
        talks = Conversation.objects.bulk_create(
            Conversation(customer=customer, last_seq=1) for customer in customers
        )
        labels = Label.objects.bulk_create(Label(name=f"case {n}") for n in range(RACES))
        ConversationLabel.objects.bulk_create(
            ConversationLabel(conversation=talk, label=label)
            for talk, label in zip(talks, labels, strict=True)
        )
        Message.objects.bulk_create(
            Message(conversation=talk, seq=1, role="customer", text="x") for talk in talks
        )
        kinds: Iterator[list[Any]] = cycle([customers, talks, labels])
        return [(talk, next(kinds)[n]) for n, talk in enumerate(talks)]


class Second(threading.Thread):
    """Acts on its own connection as soon as the first side holds its locks."""

    def __init__(self, company: Company, acts: Sequence[Act]) -> None:
        super().__init__(daemon=True)
        self.company, self.acts = company, acts
        self.barrier = threading.Barrier(2)
        self.done: list[object] = []

    def run(self) -> None:
        try:
            for act in self.acts:
                self.barrier.wait(30)
                with tenant_scope(self.company.tenant.id):
                    self.done.append(act())
                self.barrier.wait(30)
        finally:
            connection.close()


def _meet(company: Company, firsts: Sequence[Act], seconds: Sequence[Act]) -> list[object]:
    """Each first act has its locks, and commits only after the second has been let go."""
    second = Second(company, seconds)
    second.start()
    for act in firsts:
        with tenant_scope(company.tenant.id):
            act()
            second.barrier.wait(30)
            threading.Event().wait(0.001)
        second.barrier.wait(30)
    second.join(30)
    assert len(second.done) == len(seconds)
    return second.done


@pytest.fixture
def met():
    """The company, its talks, and the two acts on each of them."""
    company = found("acme")
    petra = company.hire("petra", Role.PRIVACY_OFFICER).member
    talks = _talks(company)
    placing = [partial(holds.place, subject, reason="x", by=petra) for _, subject in talks]
    purging = [partial(purge_conversations, [talk.id]) for talk, _ in talks]
    return company, [talk.id for talk, _ in talks], placing, purging


def test_a_hold_that_came_first_keeps_every_row(met):
    company, ids, placing, purging = met
    done = _meet(company, placing, purging)
    assert [one.held for one in done if isinstance(one, Purged)] == [(pk,) for pk in ids]
    with company.scope():
        assert Conversation.stored.count() == Message.objects.count() == RACES


def test_a_purge_that_came_first_is_whole_and_the_hold_stands(met):
    company, _, placing, purging = met
    done = _meet(company, purging, placing)
    with company.scope():
        assert Conversation.stored.count() == Message.objects.count() == 0
        assert LegalHold.objects.count() == len(done) == RACES


@pytest.fixture
def people():
    """Customers without any talk, and the two acts on each of them."""
    company = found("acme")
    petra = company.hire("petra", Role.PRIVACY_OFFICER).member
    with company.scope():
        rows = Customer.objects.bulk_create(Customer() for _ in range(RACES))
    placing = [partial(holds.place, one, reason="x", by=petra) for one in rows]
    return company, placing, [partial(purge_customer, one.id, copies=False) for one in rows]


def test_a_hold_that_came_first_keeps_idle_people(people):
    company, placing, purging = people
    done = _meet(company, placing, purging)
    assert not [one for one in done if isinstance(one, Purged) and one.finished]
    with company.scope():
        assert Customer.stored.count() == RACES


def test_idle_people_who_went_first_are_gone_and_the_hold_stands(people):
    company, placing, purging = people
    _meet(company, purging, placing)
    with company.scope():
        assert not Customer.stored.exists()
        assert LegalHold.objects.count() == RACES


@pytest.mark.parametrize("hold_first", [True, False])
def test_a_hold_and_the_purge_of_logs(hold_first):
    company = found("acme")
    petra = company.hire("petra", Role.PRIVACY_OFFICER).member
    long_ago = timezone.now() - timedelta(days=90)
    with company.scope():
        policy(petra, 30, kind=Kind.LOGS)
        one = Customer.objects.create(last_seen_at=timezone.now())
        WidgetToken.objects.create(
            customer=one,
            widget_key=company.widget_key,
            token_hash=one.id.bytes,
            expires_at=long_ago,
        )
    (log,) = [table for table in retained(Kind.LOGS) if table.store == "ended sessions"]
    place, take = partial(holds.place, one, reason="x", by=petra), partial(take_logs, log)
    first, second = ([place], [take]) if hold_first else ([take], [place])
    _meet(company, first, second)
    with company.scope():
        assert not take_logs(log)
        assert WidgetToken.objects.exists() is hold_first
        assert LegalHold.objects.count() == 1
