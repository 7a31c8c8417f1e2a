"""A tenant's rules for tools: who is asked, what never runs, how often; and who changed them."""

from dataclasses import replace
from decimal import Decimal

import pytest

from agents.models import Approval, HttpTool, McpServer, ToolCall, ToolSetting
from agents.runtime.factory import build_agent
from agents.runtime.facts import load_facts
from agents.runtime.loop import run_here
from agents.runtime.run import Run
from agents.services.profiles import ProfileSettings, current_profile, publish_profile
from agents.services.tools import ToolRule, set_tool_rule
from agents.services.turns import claim
from conversations.models import CustomerIdentity
from tenants.models import AuditEntry
from tests.support.scripted import Say, ScriptedChatClient
from tests.support.shop import Shop, look_up, refund

pytestmark = pytest.mark.django_db(transaction=True)

DONE = Say(text="That is settled.")
UP_TO_20 = ToolRule(approval="above", threshold_argument="amount", threshold=Decimal(20))


@pytest.fixture
def shop():
    return Shop.make()


def rule(shop, tool="refund_order", **values):
    with shop.scope():
        set_tool_rule(tool, ToolRule(**values), by=shop.alice)


def results(shop):
    return [
        content.result
        for message in shop.requests[-1].messages
        for content in message.contents
        if content.type == "function_result"
    ]


def ask(shop, *calls):
    shop.say("My lamp came broken.")
    shop.work_off(Say(calls=list(calls)), DONE)


@pytest.mark.parametrize(
    ("amount", "asks"), [(19.99, False), (20, False), (20.01, True), ("much", True), (-30, True)]
)
def test_up_to_a_sum_nobody_is_asked(shop, amount, asks):
    with shop.scope():
        set_tool_rule("refund_order", UP_TO_20, by=shop.alice)
    ask(shop, refund(amount=amount))
    assert shop.states(Approval) == (["pending"] if asks else [])
    assert len(shop.refunds()) == (0 if asks else 1)


def test_one_call_above_makes_the_batch_of_its_tool_ask(shop):
    with shop.scope():
        set_tool_rule("refund_order", UP_TO_20, by=shop.alice)
    ask(shop, refund(amount=5), refund("1002", 30), look_up())
    assert shop.states(Approval) == ["pending", "pending"]
    for approval in shop.asked():
        shop.decide(approval, approved=True)
    shop.work_off(DONE)
    assert shop.refunds() == [("1001", 5), ("1002", 30)]
    shop.say("And the rest?")
    shop.work_off(Say(calls=[refund(amount=6)]), DONE)
    assert shop.refunds()[-1] == ("1001", 6)


def test_the_sum_is_weighed_alike_when_nothing_streams(shop):
    with shop.scope():
        set_tool_rule("refund_order", UP_TO_20, by=shop.alice)
    for amount, asks in ((30, True), (10, False)):
        response = whole_answer(shop, Say(calls=[refund(amount=amount)]), DONE)
        assert bool(response.user_input_requests) is asks
    assert shop.refunds() == [("1001", 10)]


def whole_answer(shop, *script):
    """One run of the agent without streaming, whose end is stored nowhere."""
    shop.talk = None
    shop.say("My lamp came broken.")
    with shop.scope():
        claimed = claim(shop.queued(), owner="test")
    assert claimed is not None
    client = ScriptedChatClient(*script)
    run = Run(claimed, load_facts(claimed), [], lambda *_, **__: None)

    async def go():
        agent = build_agent(run, client)
        return await agent.run(session=run.session(), function_invocation_kwargs={"run": run})

    response = run_here(go())
    shop.requests.extend(client.requests)
    return response


@pytest.mark.parametrize("streams", [True, False])
def test_a_rule_that_forbids_answers_in_words_and_nothing_runs(shop, streams):
    rule(shop, "look_up_order", needs_verified=True)
    if streams:
        ask(shop, look_up())
    else:
        whole_answer(shop, Say(calls=[look_up()]), DONE)
    assert "proven who they are" in results(shop)[0]
    assert shop.steps() == []


def test_never_asks_when_the_tenant_says_so_and_always_when_it_says_that(shop):
    rule(shop, approval="never")
    rule(shop, "look_up_order", approval="always")
    ask(shop, refund())
    assert shop.refunds() == [("1001", 20)]
    shop.say("What did I order?")
    shop.work_off(Say(calls=[look_up()]))
    assert [row.tool for row in shop.asked()] == ["look_up_order"]


def test_what_is_switched_off_is_not_offered(shop):
    rule(shop, enabled=False)
    ask(shop, refund())
    offered = [tool.name for tool in shop.requests[0].options["tools"]]
    assert "look_up_order" in offered
    assert "refund_order" not in offered
    assert "not found" in results(shop)[0]


def test_what_is_switched_off_after_the_decision_is_answered_in_words(shop):
    ask(shop, refund())
    (approval,) = shop.asked()
    shop.decide(approval, approved=True)
    rule(shop, enabled=False)
    shop.work_off(DONE)
    assert shop.refunds() == []
    assert "switched this off" in results(shop)[0]


def test_a_tool_may_be_used_so_often_in_a_turn(shop):
    rule(shop, approval="never", per_turn=1)
    ask(shop, refund(), refund("1002"))
    assert shop.refunds() == [("1001", 20)]
    assert "1 times" in results(shop)[1]


def test_a_tool_may_be_used_so_often_in_a_day(shop):
    rule(shop, approval="never", per_day=2)
    ask(shop, refund())
    ask(shop, refund("1002"), refund("1003"))
    assert shop.refunds() == [("1001", 20), ("1002", 20)]
    assert "one day" in results(shop)[-1]
    with shop.scope():
        ToolCall.objects.update(created_at="2020-01-01T00:00Z")
    ask(shop, refund("1003"))
    assert shop.refunds()[-1] == ("1003", 20)


OWN = {"http": "pay_back", "mcp": "bank_move"}


def give(shop, kind):
    """A tool of the tenant's own, at an address that nobody may call: it fails when it runs."""
    schema = {"type": "object", "properties": {"amount": {"type": "number"}}}
    url = "https://127.0.0.1/pay"
    with shop.scope():
        if kind == "http":
            HttpTool.objects.create(
                name="pay_back", description="Pays.", schema=schema, url=url, method="POST"
            )
        else:
            tool = {"name": "move", "description": "Moves.", "schema": schema, "only_reads": False}
            McpServer.objects.create(name="bank", url=url, tools=[tool], needs_approval=False)
        now = current_profile()
        assert now is not None
        tools = ("search_knowledge", OWN[kind])
        publish_profile(endpoint=now.endpoint, settings=ProfileSettings(tools=tools))
    return OWN[kind]


@pytest.mark.parametrize("kind", OWN)
@pytest.mark.parametrize(
    ("values", "asks", "runs", "told"),
    [
        ({}, False, 2, "no public address"),
        ({"approval": "always"}, True, 0, ""),
        ({"approval": "above", "threshold_argument": "amount", "threshold": 20}, True, 0, ""),
        (
            {"approval": "above", "threshold_argument": "amount", "threshold": 30},
            False,
            2,
            "no public address",
        ),
        ({"needs_verified": True}, False, 0, "proven who they are"),
        ({"per_turn": 1}, False, 1, "1 times"),
        ({"per_day": 0}, False, 0, "one day"),
        ({"enabled": False}, False, 0, "not found"),
    ],
)
def test_the_tenants_own_tools_obey_the_same_rules(shop, kind, values, asks, runs, told):
    name = give(shop, kind)
    if values:
        rule(shop, name, **values)
    ask(shop, (name, {"amount": 25}), (name, {"amount": 30}))
    assert len(shop.steps()) == runs
    assert [row.tool for row in shop.asked()] == ([name] * 2 if asks else [])
    assert told in (results(shop)[-1] if told else "")


def test_a_change_is_audited_with_before_and_after(shop):
    with shop.scope():
        set_tool_rule("refund_order", UP_TO_20, by=shop.alice)
        set_tool_rule("refund_order", UP_TO_20, by=shop.alice)
        set_tool_rule("refund_order", replace(UP_TO_20, threshold=Decimal(50)), by=shop.alice)
        first, second = AuditEntry.objects.filter(action="tool.rule_changed").order_by("id")
        assert ToolSetting.objects.count() == 1
    assert first.detail["changed"]["approval"] == ["default", "above"]
    assert second.detail == {"tool": "refund_order", "changed": {"threshold": ["20.00", "50.00"]}}
    assert second.actor_id == shop.alice.id


def test_the_shops_tools_really_change_rows(shop):
    with shop.scope():
        CustomerIdentity.objects.create(
            customer=shop.customer, subject="ada", verified_at="2026-01-01T00:00Z"
        )
    rule(shop, approval="never")
    address = ("change_address", {"order": "#1001", "address": "2 New Road"})
    ask(shop, address, refund(amount=90), refund(amount=1), refund("1002", 0))
    assert results(shop)[0] == "Order 1001 goes to: 2 New Road"
    assert "Only 0.00" in results(shop)[2]
    assert shop.refunds() == [("1001", 90)]
    ask(shop, look_up())
    assert "address: 2 New Road" in results(shop)[-1]
    assert "refunded: 90.00" in results(shop)[-1]
