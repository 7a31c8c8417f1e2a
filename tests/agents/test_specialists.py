"""Specialists: asked as tools, without history, on the turn's own bill and under its rules."""

from contextlib import asynccontextmanager
from decimal import Decimal
from threading import Timer

import pytest

from agents.models import ModelCall, ModelEndpoint, Specialist, ToolCall, Turn
from agents.runtime import playground
from agents.runtime.clients import open_client
from agents.runtime.loop import step_out
from agents.runtime.runner import run_turn
from agents.runtime.specialists import RULES
from agents.services import budgets
from agents.services.contract import Fenced
from agents.services.queueing import tell_worker
from agents.services.tools import ToolRule, set_tool_rule
from conversations.models import Conversation, Message
from demo_shop.models import Order
from tests.support.experts import ASK, TOLD, Models, attempt, claimed_by, hire, run, told
from tests.support.scripted import Say, ScriptedChatClient
from tests.support.shop import Shop, look_up, refund

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shop():
    shop = Shop.make()
    with shop.scope():
        hire(shop, tools=("look_up_order",), instructions="You know all orders.")
    return shop


# --- asked, without history, with its own bill ----------------------------------------------------


def test_it_sees_the_task_alone_and_answers_the_agent(shop):
    models, turn = run(
        shop,
        [ASK, TOLD],
        [Say(calls=[look_up()]), Say(text="It is paid.")],
        line="My secret is swordfish. Where is it?",
    )
    assert turn.state == "succeeded"
    assert told(models) == ["It is paid."]
    first = models.expert.requests[0]
    assert [(str(m.role), m.text) for m in first.messages if m.role != "system"] == [
        ("user", "Where is order 1001?")
    ]
    words = str(first.options.get("instructions")) + first.text
    assert RULES in words
    assert "You know all orders." in words
    assert "swordfish" not in words
    assert [tool.name for tool in first.options["tools"]] == ["look_up_order"]
    assert shop.said()[-1] == ("agent", "The agent tells the customer.")


def test_each_call_begins_anew(shop):
    twice = [ASK, Say(calls=[("orders_expert", {"task": "And 1002?"})]), TOLD]
    models, _ = run(shop, twice, [Say(text="One."), Say(text="Two.")])
    assert [request.text.count("user:") for request in models.expert.requests] == [1, 1]
    assert told(models) == ["One.", "Two."]


def test_its_tokens_stand_on_the_turn_under_its_name_and_count_for_all(shop):
    _, turn = run(shop, [ASK, TOLD], [Say(calls=[look_up()]), Say(text="Paid.")])
    with shop.scope():
        rows = ModelCall.objects.filter(turn_id=turn.id).order_by("created_at", "id")
        calls = list(rows.values_list("purpose", "specialist", "model", "input_tokens"))
        spent = sum(row.cost for row in rows)
    assert sorted(calls) == [
        ("answer", "", "offline", 100),
        ("answer", "", "offline", 100),
        ("specialist", "orders_expert", "expert-1", 100),
        ("specialist", "orders_expert", "expert-1", 100),
    ]
    assert (turn.input_tokens, turn.output_tokens) == (400, 80)
    assert turn.cost == spent == Decimal("0.000720")
    assert shop.row().input_tokens == 400


def test_what_it_used_is_booked_when_the_turn_fails(shop):
    _, turn = run(shop, [ASK, Say(fail=ValueError())], [Say(text="Paid.")])
    with shop.scope():
        used = ModelCall.objects.filter(turn_id=turn.id, specialist="orders_expert")
        assert used.count() == 1


def test_a_budget_stops_it_between_two_requests_and_then_the_turn(shop):
    with shop.scope():
        budgets.set_budget(by=shop.alice, turn_tokens=240)
    models, turn = run(shop, [ASK, TOLD], [Say(calls=[look_up()]), Say(text="Paid.")])
    assert (len(models.agent.requests), len(models.expert.requests)) == (1, 1)
    assert (turn.state, turn.error_code) == ("failed", "budget_turn")


# --- the same policy and the same journal ---------------------------------------------------------


def test_a_tool_that_asks_a_person_is_never_a_specialists(shop):
    with shop.scope():
        hire(shop, name="payer", tools=("refund_order", "look_up_order"))
    asked = Say(calls=[("payer", {"task": "Refund 1001."})])
    models, turn = run(shop, [asked, TOLD], [Say(calls=[refund()]), Say(text="I could not.")])
    assert [tool.name for tool in models.expert.requests[0].options["tools"]] == ["look_up_order"]
    assert (turn.state, shop.refunds(), shop.asked()) == ("succeeded", [], [])


def test_a_rule_that_comes_later_takes_the_tool_away(shop):
    with shop.scope():
        set_tool_rule("look_up_order", ToolRule(approval="always"), by=shop.alice)
    models, _ = run(shop, [ASK, TOLD], [Say(calls=[look_up()]), Say(text="No.")])
    assert not models.expert.requests[0].options.get("tools")
    assert [name for name, _ in shop.steps()] == ["orders_expert"]


def test_limits_count_the_agents_and_the_specialists_calls_together(shop):
    with shop.scope():
        set_tool_rule("look_up_order", ToolRule(per_turn=1), by=shop.alice)
    models, _ = run(
        shop, [Say(calls=[look_up()]), ASK, TOLD], [Say(calls=[look_up()]), Say(text="Hm.")]
    )
    inside = [c.result for m in models.expert.requests[-1].messages for c in m.contents if c.result]
    assert "1 times" in str(inside)


def test_a_customer_who_has_proven_nothing_gains_nothing_by_it(shop):
    with shop.scope():
        hire(shop, name="mover", tools=("change_address",))
    move = ("change_address", {"order": "1001", "address": "2 New Road"})
    asked = Say(calls=[("mover", {"task": "Move 1001."})])
    models, _ = run(shop, [asked, TOLD], [Say(calls=[move]), Say(text="I could not.")])
    assert "proven who they are" in str(models.expert.requests[-1].messages[-1].contents[0].result)
    with shop.scope():
        assert Order.objects.get(number="1001").address == "1 Old Road"


def test_a_retry_repeats_no_side_effect_of_its_tools(shop):
    with shop.scope():
        hire(shop, name="payer", tools=("refund_order",))
        set_tool_rule("refund_order", ToolRule(approval="never"), by=shop.alice)
    asked = Say(calls=[("payer", {"task": "Refund 1001."})])
    pays = [Say(calls=[refund()]), Say(text="Done.")]
    _, turn = run(shop, [asked, Say(fail=OSError("cut"))], pays)
    assert turn.state == "queued"
    with shop.scope():
        Turn.objects.update(not_before=None)
    models = Models([asked, TOLD], pays)
    assert attempt(shop, models).state == "succeeded"
    assert shop.refunds() == [("1001", 20)]
    assert told(models) == ["Done."]


def test_an_outcome_that_nobody_knows_calls_a_person_from_inside_too(shop):
    with shop.scope():
        hire(shop, name="payer", tools=("refund_order",))
        set_tool_rule("refund_order", ToolRule(approval="never"), by=shop.alice)
    asked = Say(calls=[("payer", {"task": "Refund 1001."})])
    pays = [Say(calls=[refund()]), Say(text="Unknown.")]
    run(shop, [asked, Say(fail=OSError("cut"))], pays)
    with shop.scope():
        ToolCall.objects.filter(name="refund_order").update(state="started")
        Turn.objects.update(not_before=None)
    attempt(shop, Models([asked, TOLD], pays))
    assert shop.refunds() == [("1001", 20)]
    assert shop.row().handler == "team"


# --- what goes wrong is told in words -------------------------------------------------------------


@pytest.mark.parametrize(
    ("say", "words"),
    [
        (Say(fail=OSError("dsn=postgres://user:secret@host")), "could not be asked"),
        (Say(text="half", cut=True), "could not be asked"),
        (Say(text="x", finish="content_filter"), "refused"),
        (Say(text=""), "without words"),
        (Say(fail=TimeoutError()), "in time"),
    ],
)
def test_its_failure_is_told_in_words_and_the_turn_goes_on(shop, say, words):
    models, turn = run(shop, [ASK, TOLD], [say])
    assert turn.state == "succeeded"
    assert words in told(models)[0]
    assert "secret" not in told(models)[0]
    with shop.scope():
        assert ToolCall.objects.get(name="orders_expert").state == "failed"


def test_it_has_seconds_of_its_own_and_ends_with_the_turn(shop):
    with shop.scope():
        row = Specialist.objects.get()
        row.retired_at = row.created_at
        row.save(update_fields=["retired_at"])
        Specialist.objects.create(
            name="orders_expert", version=2, description="x", endpoint=row.endpoint, seconds=1
        )
    slow = [Say(text="Too late.", wait=20)]
    models, turn = run(shop, [ASK, TOLD], slow)
    assert turn.state == "succeeded"
    assert "in time" in told(models)[0]


def test_a_turn_that_is_taken_away_ends_the_specialist_too(shop):
    models = Models([ASK, TOLD], [Say(text="late", wait=30)])
    shop.say("Where?")
    claimed = claimed_by(shop)
    watch = Timer(1.0, tell_worker, [claimed.turn_id])
    watch.start()
    calls = []
    with pytest.raises(Fenced):
        run_turn(claimed, calls=calls, client=models.opened)
    watch.join()
    assert [(call.specialist, call.outcome) for call in calls] == [
        ("", "ok"),
        ("orders_expert", "cancelled"),
    ]


def test_a_lost_fence_inside_ends_the_whole_run(shop):
    models = Models([ASK, TOLD], [Say(calls=[look_up()]), Say(text="Paid.")])
    shop.say("Where?")
    claimed = claimed_by(shop)

    @asynccontextmanager
    async def opened(spec):
        if spec.model == "expert-1":
            step_out(lose)
        async with models.opened(spec) as client:
            yield client

    def lose():
        with shop.scope():
            Turn.objects.filter(pk=claimed.turn_id).update(fence=99)

    with pytest.raises(Fenced):
        run_turn(claimed, calls=[], client=opened)
    assert len(models.agent.requests) == 1


def test_its_model_is_called_through_the_guard(shop):
    with shop.scope():
        inside = ModelEndpoint.objects.create(
            name="Inside", api="chat_completions", model="m", base_url="https://127.0.0.1:9/v1"
        )
        hire(shop, name="insider", endpoint=inside)
    agent = ScriptedChatClient(Say(calls=[("insider", {"task": "x"})]), TOLD)

    @asynccontextmanager
    async def opened(spec):
        async with agent.opened(spec) if spec.model == "offline" else open_client(spec) as client:
            yield client

    shop.say("hello")
    claimed = claimed_by(shop)
    run_turn(claimed, calls=(calls := []), client=opened)
    assert [call.error_code for call in calls if call.specialist] == ["address_refused"]
    assert "could not be asked" in str(agent.requests[-1].messages[-1].contents[0].result)


# --- drafts and trials ----------------------------------------------------------------------------


def test_in_a_trial_its_tools_only_say_what_they_would_do(shop):
    with shop.scope():
        hire(shop, name="payer", tools=("refund_order", "look_up_order"))
        set_tool_rule("refund_order", ToolRule(approval="never"), by=shop.alice)
    models = Models(
        [Say(calls=[("payer", {"task": "Refund 1001."})]), TOLD],
        [Say(calls=[refund(), look_up()]), Say(text="It would be done.")],
    )
    facts = playground.facts_for_trial(shop.alice, None, verified=False)
    trial = playground.ask(shop.alice, facts, "Refund 1001", client=models.opened)
    assert [(step.name, step.outcome) for step in trial.steps] == [
        ("refund_order", "would"),
        ("look_up_order", "ran"),
        ("payer", "ran"),
    ]
    assert [call.specialist for call in trial.calls] == ["", "payer", "payer", ""]
    assert shop.refunds() == []
    with shop.scope():
        assert not Message.objects.exists()


def test_a_draft_asks_it_with_harmless_tools_alone(shop):
    with shop.scope():
        hire(shop, name="payer", tools=("refund_order", "look_up_order"))
        set_tool_rule("refund_order", ToolRule(approval="never"), by=shop.alice)
        shop.tenant.__class__.objects.filter(pk=shop.tenant.pk).update(agent_mode="draft")
    shop.say("Refund it.")
    with shop.scope():
        Conversation.objects.update(handler="team")
        turn = Turn.objects.filter(state="queued").first()
    assert turn is not None
    models = Models([Say(calls=[("payer", {"task": "x"})]), TOLD], [Say(text="Hm.")])
    attempt(shop, models)
    offered = models.expert.requests[0].options["tools"]
    assert [tool.name for tool in offered] == ["look_up_order"]
