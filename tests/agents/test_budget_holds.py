"""Turns at the same time, on connections of their own: they pass a budget by one request."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.db.models.functions import Now

from agents.models import BudgetHold, ModelCall, Turn, TurnState
from agents.runtime.runner import run_turn
from agents.services import budgets, holds, turns
from agents.services.contract import TurnError
from agents.services.failing import fail_turn
from agents.services.holds import Amount, Holder, Verdict
from tenants.scoping import new_id, tenant_scope
from tests.support.desk import Desk
from tests.support.scripted import Say, ScriptedChatClient
from tests.support.talks import make_tenant

pytestmark = pytest.mark.django_db(transaction=True)

ONE = 120  # tokens of one request of the script


@pytest.fixture
def desk():
    tenant = make_tenant("northwind")
    with tenant_scope(tenant.id):
        return Desk.make()


def claimed_turns(desk, count):
    with tenant_scope(desk.tenant.id):
        for _ in range(count):
            desk.start()
        queued = Turn.objects.filter(state=TurnState.QUEUED).values_list("id", flat=True)
        claimed = [turns.claim(turn_id, owner="test") for turn_id in queued]
    assert len(claimed) == count
    assert None not in claimed
    return claimed


def limit(desk, **limits):
    with tenant_scope(desk.tenant.id):
        budgets.set_budget(by=desk.sam, **limits)


def run_all(claimed, *script):
    """Each in a thread with a connection of its own, as workers do it."""

    def run(turn):
        calls = []
        try:
            run_turn(turn, calls=calls, client=ScriptedChatClient(*script).opened)
        except TurnError as error:
            fail_turn(turn, error, calls)
            return error.code
        finally:
            connection.close()
        return "answered"

    with ThreadPoolExecutor(len(claimed)) as pool:
        return sorted(pool.map(run, claimed))


def test_turns_at_once_pass_a_budget_by_one_request_at_most(desk):
    claimed = claimed_turns(desk, 4)
    limit(desk, day_tokens=2 * ONE + 60)

    ends = run_all(claimed, Say("Here.", wait=0.1))

    assert ends == ["answered", "answered", "answered", "budget_day"]
    with tenant_scope(desk.tenant.id):
        used = sum(call.input_tokens + call.output_tokens for call in ModelCall.objects.all())
        assert used == 3 * ONE
        assert not BudgetHold.objects.exists()


def test_turns_with_several_requests_see_what_the_others_have_not_booked_yet(desk):
    claimed = claimed_turns(desk, 3)
    limit(desk, month_tokens=3 * ONE)
    search = Say(calls=[("search_knowledge", {"query": "order"})], wait=0.05)

    run_all(claimed, search, Say("Here.", wait=0.05))

    with tenant_scope(desk.tenant.id):
        used = sum(call.input_tokens + call.output_tokens for call in ModelCall.objects.all())
        assert 3 * ONE <= used < 4 * ONE


def test_far_from_the_limit_nobody_waits(desk):
    claimed = claimed_turns(desk, 2)
    limit(desk, day_tokens=10**6, month_cost=Decimal(100))
    both = threading.Barrier(2, timeout=20)

    def script(_messages):
        both.wait()
        return Say("Here.")

    assert run_all(claimed, script) == ["answered", "answered"]


def test_what_a_dead_worker_held_counts_until_its_time(desk):
    limit(desk, day_tokens=100)
    me, lost = (Holder(new_id(), 1, 60) for _ in range(2))
    with tenant_scope(desk.tenant.id):
        left = budgets.tenant_limits()
        holds.ask(lost, left, used=Amount(), wanted=Amount(500))
        assert holds.ask(me, left, used=Amount(), wanted=Amount(1)) == (Verdict.WAIT, "day")
        assert holds.ask(lost, left, used=Amount(99), wanted=Amount(1)) == (Verdict.GO, "")
        assert holds.ask(me, left, used=Amount(1), wanted=Amount(1)) == (Verdict.USED_UP, "day")
        BudgetHold.objects.filter(holder=lost.id).update(until=Now() - timedelta(seconds=1))
        assert holds.ask(me, left, used=Amount(1), wanted=Amount(1)) == (Verdict.GO, "")
