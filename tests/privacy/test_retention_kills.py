"""Killed anywhere, a round of retention ends the same: each row taken once and counted once."""

import random
from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from conversations.models import (
    Attachment,
    AttachmentBody,
    Conversation,
    Customer,
    Kind,
    RetentionRun,
    WidgetToken,
)
from conversations.services.retention_rounds import restart, step
from tenants.scoping import new_id
from tests.privacy.killing import counting, killed_after
from tests.privacy.policies import aged, policy, stored
from tests.support.files import attach

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.durability]
DAY = timedelta(days=1)
POINTS, TALKS, PEOPLE = 12, 4, 2
_IDLE = "Idle"


def grow_old(cast) -> None:
    with cast.acme.scope():
        for _ in range(TALKS):
            aged(cast.carol, 31 * DAY, now=timezone.now(), status="resolved")
        for one in Customer.objects.bulk_create(Customer(name=_IDLE) for _ in range(PEOPLE)):
            _session(cast, one)
        _session(cast, cast.carol)
        kept = Conversation.objects.filter(status="open").earliest("id")
        Attachment.stored.filter(pk=attach(kept, 1).pk).update(created_at=timezone.now() - 31 * DAY)
        then = timezone.now() - 31 * DAY
        Customer.stored.filter(name=_IDLE).update(created_at=then, last_seen_at=then)


def _session(cast, one: Customer) -> None:
    """One that ended long ago."""
    WidgetToken.objects.create(
        customer=one,
        widget_key=cast.acme.widget_key,
        token_hash=new_id().bytes,
        expires_at=timezone.now() - 31 * DAY,
    )


def everything_stored() -> object:
    people = set(Customer.stored.values_list("pk", flat=True))
    bodies = AttachmentBody.objects.count()
    return stored(), people, WidgetToken.objects.count(), bodies


def carry_out(company) -> None:
    """As due work does: every step in a scope, and a transaction, of its own."""
    with company.scope():
        restart()
    more = True
    while more:
        with company.scope():
            more = step()


def taken(company) -> Counter[str]:
    with company.scope():
        counts = RetentionRun.objects.values_list("counts", flat=True)
        return sum((Counter(each) for each in counts), Counter())


def test_a_round_killed_anywhere_takes_and_counts_each_row_once(cast):
    with cast.acme.scope():
        petra = cast.acme.petra.member
        policy(petra, 30, status="resolved")
        policy(petra, 30, kind=Kind.CUSTOMERS)
        policy(petra, 30, kind=Kind.LOGS)
        policy(petra, 30, kind=Kind.FILES)
        Customer.stored.filter(pk=cast.carol.pk).update(last_seen_at=timezone.now())
        aged(cast.carol, 29 * DAY, now=timezone.now(), status="resolved")
        aged(cast.carol, 31 * DAY, now=timezone.now())
    carry_out(cast.acme)
    with cast.acme.scope():
        kept = everything_stored()
    grow_old(cast)
    with counting() as seen:
        carry_out(cast.acme)
    undisturbed, everything = taken(cast.acme), seen[0]
    assert undisturbed["conversations"] == TALKS
    assert undisturbed["customers"] == PEOPLE
    assert undisturbed["ended sessions"] == PEOPLE + 1
    assert undisturbed["files of messages"] == 1
    points = random.Random(20261130)
    for number in range(POINTS):
        grow_old(cast)
        point = points.randrange(1, everything)

        assert killed_after(point, lambda: carry_out(cast.acme)), f"statement {point} never came"
        carry_out(cast.acme)

        with cast.acme.scope():
            assert everything_stored() == kept, f"killed at statement {point} of {everything}"
        wanted = {store: count * (number + 2) for store, count in undisturbed.items()}
        assert taken(cast.acme) == wanted, f"killed at statement {point} of {everything}"
