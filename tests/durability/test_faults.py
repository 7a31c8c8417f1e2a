"""Real workers, real Redis, real PostgreSQL, and somebody who kills them."""

import pytest

from agents.services.endpoints import EndpointSettings, set_endpoint
from agents.services.queueing import LEASE, TURN
from conversations.models import Customer
from tenants.models import DueWork, Tenant
from tenants.scoping import tenant_scope
from tests.durability.faults import (
    QUICK,
    Nemesis,
    Talk,
    calls_per_turn,
    drive,
    model,
    violations,
)
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
        tenants = [make_tenant(slug, server.base_url) for slug in ("northwind", "delta")]
        talks = [make_talk(tenants[place % 2]) for place in range(turns // LINES)]
        with running_stack("turns", "sweep", "beat", env=QUICK) as stack:
            nemesis = Nemesis(stack)
            drive(talks, after_each=nemesis.strike, seconds=60 + turns)
            nemesis.rest()
    # No worker for the rest runs here.
    DueWork.objects.exclude(kind__in=[TURN, LEASE]).delete()

    found = violations(talks)
    assert not found, found[0]
    assert not DueWork.objects.exists()
    assert calls_per_turn(tenants, len(server.requests)) <= 1.25
    print(f"{turns} turns, {len(server.requests)} model requests, faults {dict(nemesis.counts)}")


def make_tenant(slug, base_url):
    tenant = Tenant.objects.create(slug=slug, name=slug.title(), max_running_turns=20)
    with tenant_scope(tenant.id):
        settings = EndpointSettings(api="chat_completions", model="scripted", base_url=base_url)
        set_endpoint(settings, trusted=True)
    return tenant


def make_talk(tenant):
    with tenant_scope(tenant.id):
        return Talk(tenant, Customer.objects.create(name="Ada"), LINES)
