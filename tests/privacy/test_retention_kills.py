"""Killed anywhere, a round of retention ends the same: each row taken once and counted once."""

import random
from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from conversations.models import RetentionRun
from conversations.services.retention_rounds import restart, step
from tests.privacy.killing import counting, killed_after
from tests.privacy.policies import aged, policy, stored

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.durability]
DAY = timedelta(days=1)
POINTS, TALKS = 12, 4


def grow_old(cast) -> None:
    with cast.acme.scope():
        for _ in range(TALKS):
            aged(cast.carol, 31 * DAY, now=timezone.now(), status="resolved")


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
        policy(cast.acme.petra.member, 30, status="resolved")
        aged(cast.carol, 29 * DAY, now=timezone.now(), status="resolved")
        aged(cast.carol, 31 * DAY, now=timezone.now())
    carry_out(cast.acme)
    with cast.acme.scope():
        kept = stored()
    grow_old(cast)
    with counting() as seen:
        carry_out(cast.acme)
    undisturbed, everything = taken(cast.acme), seen[0]
    assert undisturbed["conversations"] == TALKS
    points = random.Random(20261130)
    for number in range(POINTS):
        grow_old(cast)
        point = points.randrange(1, everything)

        assert killed_after(point, lambda: carry_out(cast.acme)), f"statement {point} never came"
        carry_out(cast.acme)

        with cast.acme.scope():
            assert stored() == kept, f"killed at statement {point} of {everything}"
        wanted = {store: count * (number + 2) for store, count in undisturbed.items()}
        assert taken(cast.acme) == wanted, f"killed at statement {point} of {everything}"
