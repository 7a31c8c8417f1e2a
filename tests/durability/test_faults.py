"""Real workers, real Redis, real PostgreSQL, and somebody who kills them."""

import pytest

from agents.services.endpoints import EndpointSettings, set_endpoint
from agents.services.queueing import LEASE, TURN
from conversations.models import Customer
from tenants.models import DueWork, Role, Tenant
from tests.durability.faults import (
    QUICK,
    Nemesis,
    Talk,
    calls_per_turn,
    drive,
    model,
    violations,
)
from tests.support.cast import found
from tests.support.stack import running_stack

LINES = 5

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.durability,
    pytest.mark.timeout(3600),  # `drive` ends earlier by itself: a minute, and a second a turn
]


@pytest.fixture
def turns(request):
    return request.config.getoption("--turns")


def test_no_turn_is_lost_doubled_mixed_or_reordered_under_faults(turns):
    with model() as server:
        companies = [make_company(slug, server.base_url) for slug in ("northwind", "delta")]
        talks = [make_talk(companies[place % 2]) for place in range(turns // LINES)]
        with running_stack("turns", "sweep", "beat", env=QUICK) as stack:
            nemesis = Nemesis(stack)
            drive(talks, after_each=nemesis.strike, seconds=60 + turns)
            nemesis.rest()
    # No worker for the rest runs here.
    DueWork.objects.exclude(kind__in=[TURN, LEASE]).delete()

    wrong = violations(talks)
    assert not wrong, wrong[0]
    assert not DueWork.objects.exists()
    assert calls_per_turn([one.tenant for one in companies], len(server.requests)) <= 1.25
    given_up = sum(talk.given_up for talk in talks)
    # By chance one in some hundred is struck three times; more would be lost by the engine.
    assert given_up <= max(3, turns // 100)
    print(
        f"{turns} turns, {len(server.requests)} model requests, {given_up} given up to the team,"
        f" faults {dict(nemesis.counts)}"
    )


def make_company(slug, base_url):
    company = found(slug)
    company.hire("bob", Role.SUPPORT_AGENT)
    Tenant.objects.filter(pk=company.tenant.pk).update(max_running_turns=20)
    with company.scope():
        settings = EndpointSettings(api="chat_completions", model="scripted", base_url=base_url)
        set_endpoint(settings, trusted=True)
    return company


def make_talk(company):
    with company.scope():
        customer = Customer.objects.create(name="Ada")
    return Talk(company.tenant, customer, LINES, company.bob.member)
