"""Killed anywhere, an erasure ends the same: certified, everything gone, nobody else touched."""

import random
from functools import partial

import psycopg
import pytest

from agents.models import Turn
from conversations.models import Conversation, Customer, ErasureRequest, Message
from conversations.privacy.scanner import Wanted, scan_for
from conversations.services import erasing, erasure_states
from conversations.services.erasure_states import ERASURE
from tenants.due import Work
from tests.privacy.erasing import ask, carry_on, no_wait, state_of, superuser_url
from tests.privacy.killing import counting, killed_after
from tests.privacy.world import changed, neighbours, rows_without
from tests.support.console import say, start
from tests.support.files import attach, staged
from tests.support.redis import empty_redis
from tests.support.stack import running_stack, wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.durability]
POINTS = 20
LINES = 12
# What the test itself asks, and what differs from one erasure to the next.
MARGIN = 20


_MANY = """
INSERT INTO conversations_message (id, tenant_id, conversation_id, seq, role, author_name, text)
SELECT gen_random_uuid(), %(tenant)s, %(talk)s, 1000 + n, 'customer', '', 'big-kanarie ' || n
FROM generate_series(1, 40000) n
"""


def subject(company, name: str) -> Customer:
    """Two conversations, their turns, lines and files; a word of their own in each of them."""
    customer = Customer.objects.create(name=f"{name} Kanarie", email=f"{name}@example.org")
    for talk in (start(customer, f"{name}-kanarie begins"), start(customer, f"{name}-kanarie")):
        for line in range(LINES):
            say(talk, f"{name}-kanarie in line {line}")
        small = f"{name}-kanarie small".encode()
        attach(talk, name=f"{name}-kanarie.png", content=f"{name}-kanarie".encode(), preview=small)
    staged(f"{name}-kanarie unsent.txt", f"{name}-kanarie".encode(), customer=customer)
    return customer


def statements_of(company, name: str) -> int:
    """How many statements an undisturbed erasure takes."""
    with company.scope():
        customer = subject(company, name)
    request = ask(company, customer)
    with counting() as seen:
        assert carry_on(company, request).state == "certified"
    return seen[0]


def test_twenty_kills_at_random_points(cast, monkeypatch):
    monkeypatch.setattr(erasure_states, "SUBJECTS_A_DAY", 100)
    empty_redis()
    no_wait(cast.acme)
    neighbours(cast.acme, count=5)
    statements_of(cast.acme, "first")
    undisturbed = _deleted(cast.acme)
    everything = statements_of(cast.acme, "second")  # the first has made the tenant's keys too
    points = random.Random(20261130)
    for number in range(POINTS):
        name = f"subject{number:02d}"
        with cast.acme.scope():
            customer = subject(cast.acme, name)
        words = [f"{name}-kanarie", f"{name} Kanarie", f"{name}@example.org"]
        before = rows_without([*words, name, str(customer.id), *_ids(cast.acme, customer)])
        request = ask(cast.acme, customer)
        work = Work(cast.acme.tenant.id, ERASURE, request.id)

        point = points.randrange(1, everything - MARGIN)
        killed = killed_after(point, partial(erasing.step, work))
        ended = carry_on(cast.acme, request)

        assert killed, f"statement {point} of {everything} never came"
        assert ended.state == "certified", str(ended.evidence)
        assert _without_outside(ended) == undisturbed, f"killed in round {number}"
        report = scan_for(Wanted(words, ids=[str(customer.id)]))
        assert (report.hits, report.blind) == (0, [])
        assert changed(before, rows_without([])) == {}


@pytest.mark.timeout(180)
def test_a_worker_that_is_killed_thrice(cast):
    """Kill -9 in the middle of deleting; the sweep gives the rest to the next worker."""
    empty_redis()
    no_wait(cast.acme)
    with cast.acme.scope():
        customer = subject(cast.acme, "big")
        talk = Conversation.objects.filter(customer=customer)[0]
    with psycopg.connect(superuser_url(), autocommit=True) as superuser:
        superuser.execute(_MANY, {"talk": talk.id, "tenant": cast.acme.tenant.id})
    request = ask(cast.acme, customer)
    env = {"TURNSTONE_ERASURE_LEASE_SECONDS": "1"}
    with running_stack("bulk", "sweep", "beat", env=env) as stack:
        kills = 0
        for part in (0.1, 0.4, 0.7):
            row = wait_for(
                lambda share=part: _far(cast.acme, request, share), 60, "some of it is gone"
            )
            if row.state != "running":
                break
            stack.restart("bulk")
            kills += 1
        wait_for(lambda: state_of(cast.acme, request).state == "certified", 90)
    ended = state_of(cast.acme, request)
    assert kills >= 1
    assert ended.evidence["deleted"]["messages"] == 40_000 + 2 * (LINES + 1)
    with cast.acme.scope():
        assert not Message.objects.exists()
        assert not Turn.objects.exists()


def _far(company, request, share) -> ErasureRequest | None:
    row = state_of(company, request)
    return row if row.total > 1000 and row.done >= share * row.total else None


def _ids(company, customer) -> list[str]:
    with company.scope():
        talks = Conversation.stored.filter(customer=customer).values_list("pk", flat=True)
        turns = Turn.objects.filter(conversation__in=list(talks)).values_list("pk", flat=True)
        return [str(one) for one in (*talks, *turns)]


def _deleted(company) -> dict[str, int]:
    with company.scope():
        return _without_outside(ErasureRequest.objects.get(state="certified"))


def _without_outside(request: ErasureRequest) -> dict[str, int]:
    """What a transaction counted; keys and rings end by themselves too."""
    outside = {"rings in the broker", "rates in Redis", "queued mail", "sign-in sessions"}
    return {name: n for name, n in request.evidence["deleted"].items() if name not in outside}
