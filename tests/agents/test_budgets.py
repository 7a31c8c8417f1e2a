"""Budgets: what is used up is not spent again, one hand-over, one notice, and sums that agree."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.models import Budget, ModelCall, Turn, TurnState
from agents.runtime.insights import title
from agents.runtime.oneshot import ask
from agents.runtime.runner import run_turn
from agents.selectors.usage import LEVELS, Days, totals, usage
from agents.services import budgets, turns
from agents.services.contract import TurnError
from agents.services.endpoints import EndpointSettings, set_endpoint
from agents.services.failing import fail_turn
from agents.services.usage import MeteredCall
from conversations.models import Conversation, Event, Message
from tenants.models import AuditEntry, Tenant
from tenants.scoping import tenant_scope
from tests.support.console import text_of
from tests.support.desk import Desk
from tests.support.scripted import Say, ScriptedChatClient
from tests.support.talks import make_tenant

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk():
    tenant = make_tenant("northwind")
    with tenant_scope(tenant.id):
        yield Desk.make()


def answer(conversation, *script) -> tuple[Turn, ScriptedChatClient]:
    """As the task does it; each request of the script takes 120 tokens."""
    turn = Turn.objects.get(conversation=conversation, state="queued")
    claimed = turns.claim(turn.id, owner="test")
    assert claimed
    client, calls = ScriptedChatClient(*(script or [Say("Here.")])), []
    try:
        run_turn(claimed, calls=calls, client=client.opened)
    except TurnError as error:
        fail_turn(claimed, error, calls)
    turn.refresh_from_db()
    return turn, client


SEARCH = Say(calls=[("search_knowledge", {"query": "order"})])


def test_without_a_budget_nothing_is_limited(desk):
    turn, _ = answer(desk.start())
    assert turn.state == TurnState.SUCCEEDED


@pytest.mark.parametrize("span", ["conversation", "day", "month"])
def test_what_is_used_up_asks_no_model_and_calls_the_team_once(desk, span):
    budgets.set_budget(by=desk.sam, **{f"{span}_tokens": 120})
    conversation = desk.start()
    assert answer(conversation)[0].state == TurnState.SUCCEEDED
    desk.say(conversation, "And 1002?")

    turn, client = answer(conversation)

    assert client.requests == []
    assert (turn.state, turn.error_code) == (TurnState.FAILED, f"budget_{span}")
    assert "administrator can raise it" in turn.error_detail
    conversation.refresh_from_db()
    assert conversation.handler == "team"
    public = Event.objects.filter(conversation=conversation, public=True)
    assert [event.kind for event in public] == ["failed"]
    desk.say(conversation, "Hello?")
    assert public.count() == 1
    assert not Turn.objects.filter(conversation=conversation, state="queued").exists()


def test_a_turn_stops_between_two_requests_and_says_nothing(desk):
    budgets.set_budget(by=desk.sam, turn_tokens=120)
    conversation = desk.start()

    turn, client = answer(conversation, SEARCH, Say("Here."))

    assert len(client.requests) == 1
    assert (turn.state, turn.error_code) == (TurnState.FAILED, "budget_turn")
    assert turn.input_tokens + turn.output_tokens == 120
    assert not Message.objects.filter(conversation=conversation, role="agent").exists()


def test_a_limit_is_passed_by_one_request_at_most(desk):
    budgets.set_budget(by=desk.sam, day_tokens=300)
    for _ in range(5):
        answer(desk.start())
    used = sum(call.input_tokens + call.output_tokens for call in ModelCall.objects.all())
    assert 300 <= used <= 300 + 120


def test_administrators_are_told_once_a_day_and_again_after_a_change(desk):
    budgets.set_budget(by=desk.sam, day_tokens=1)
    answer(desk.start())
    answer(desk.start())
    answer(desk.start())
    told = AuditEntry.objects.filter(action="budget.reached")
    assert [entry.detail["span"] for entry in told] == ["day"]

    budgets.set_budget(by=desk.sam, day_tokens=2)
    answer(desk.start())
    assert told.all().count() == 2


def test_money_counts_in_the_currency_of_the_budget_alone(desk):
    budgets.set_budget(by=desk.sam, day_cost=Decimal(1))
    calls = [
        MeteredCall("answer", "responses", "m", "ok", input_tokens=10**6, input_price=price,
                    currency=currency)
        for price, currency in [(Decimal("0.99"), "USD"), (Decimal(5), "EUR")]
    ]  # fmt: skip
    allowed = budgets.tenant_limits()
    assert allowed.reached(calls) is None
    assert allowed.reached([*calls, calls[0]]) == "budget_day"


def test_the_days_are_the_tenants(desk):
    Tenant.objects.update(time_zone="Pacific/Kiritimati")
    budgets.set_budget(by=desk.sam, day_tokens=10)
    old = ModelCall.objects.create(api="a", model="m", outcome="ok", input_tokens=100)
    assert budgets.tenant_limits().reached() == "budget_day"
    ModelCall.objects.filter(pk=old.pk).update(created_at=datetime.now(UTC) - timedelta(days=1))
    assert budgets.tenant_limits().reached() is None


def test_no_title_is_asked_for_when_nothing_is_left(desk):
    set_endpoint(EndpointSettings(api="chat_completions", model="m"), trusted=True)
    conversation = desk.start()
    budgets.set_budget(by=desk.sam, month_tokens=0)
    client = ScriptedChatClient(Say("Order 1001"))

    ask(title, conversation.id, tenant_id=desk.tenant.id, client=client.opened)

    assert client.requests == []


def test_an_unchanged_budget_leaves_no_trace(desk):
    budgets.set_budget(by=desk.sam, day_tokens=10)
    budgets.set_budget(by=desk.sam, day_tokens=10)
    entry = AuditEntry.objects.get(action="budget.changed")
    assert entry.detail == {"fields": ["day_tokens"]}


def test_administrators_set_it_on_a_page_and_read_the_notice(browser_of, cast):
    alice, bob = browser_of("alice"), browser_of("bob")
    assert "Budgets" in text_of(alice.get("agents:usage"))
    assert bob.get("agents:budget").status_code == 403
    assert text_of(alice.get("agents:budget-notice")).strip() == ""

    refused = alice.post("agents:budget", currency="usd", day_tokens="-1")
    assert refused.status_code == 422
    done = alice.post("agents:budget", currency="USD", day_tokens="0", month_cost="12.50")

    assert done.status_code == 302
    with cast.acme.scope():
        row = Budget.objects.get()
        assert (row.day_tokens, row.month_cost, row.turn_tokens) == (0, Decimal("12.50"), None)
    assert "budget of the AI agent is used up" in text_of(alice.get("agents:budget-notice"))


_TALKS = [None, UUID(int=1), UUID(int=2)]
_CALLS = st.lists(
    st.tuples(
        st.integers(0, 6 * 24),
        st.sampled_from(_TALKS),
        st.sampled_from(["m-1", "m-2"]),
        st.sampled_from(ModelCall.Purpose.values),
        st.sampled_from(["USD", "EUR"]),
        st.sampled_from(ModelCall.Outcome.values),
        st.integers(0, 10**9),
        st.integers(0, 10**9),
        st.decimals(0, 1000, places=6),
    ),
    max_size=12,
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rows=_CALLS, zone=st.sampled_from(["UTC", "Asia/Tokyo", "America/Caracas"]))
def test_the_sums_agree_at_every_level(desk, rows, zone):
    ModelCall.objects.all().delete()
    begin = datetime(2026, 3, 1, tzinfo=UTC)
    for hours, talk, model, purpose, currency, outcome, given_, made, cost in rows:
        call = ModelCall.objects.create(
            conversation_id=talk, model=model, purpose=purpose, currency=currency, api="a",
            outcome=outcome, input_tokens=given_, output_tokens=made, cost=cost,
        )  # fmt: skip
        at = begin + timedelta(hours=hours)
        ModelCall.objects.filter(pk=call.pk).update(created_at=at)
    days = Days(date(2026, 2, 27), date(2026, 3, 9), ZoneInfo(zone))

    whole = sums(totals(days))

    for level in LEVELS:
        assert sums(usage(days, by=level)) == whole, level
    assert sum(one[0] for one in whole.values()) == len(rows)


def sums(found):
    """Of each currency: calls, failed calls, tokens, money."""
    whole = {}
    for used in found:
        row = (used.calls, used.failed_calls, used.input_tokens, used.output_tokens, used.cost)
        before = whole.get(used.currency, (0, 0, 0, 0, Decimal(0)))
        whole[used.currency] = tuple(a + b for a, b in zip(before, row, strict=True))
    return whole


def test_the_conversations_own_total_agrees_with_its_calls(desk):
    conversation = desk.start()
    answer(conversation, SEARCH, Say("Here."))
    row = Conversation.objects.get(pk=conversation.pk)
    calls = ModelCall.objects.filter(conversation_id=row.id)
    assert row.input_tokens == sum(call.input_tokens for call in calls) == 200
    turn = Turn.objects.get(conversation=row)
    assert (turn.input_tokens, turn.output_tokens) == (row.input_tokens, row.output_tokens)
