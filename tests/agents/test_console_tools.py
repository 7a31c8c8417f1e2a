"""The page of tools: what holds for each, and a rule that is stored and audited."""

from decimal import Decimal

import pytest

from agents.models import HttpTool, McpServer, ModelEndpoint, Specialist, ToolSetting
from agents.services.mcp import keep_tools
from agents.services.tools import rule_of
from tenants.models import AuditEntry
from tests.support.console import text_of

RULE = {
    "enabled": "on",
    "approval": "above",
    "threshold_argument": "amount",
    "threshold": "20",
    "per_turn": "",
    "per_day": "5",
}


@pytest.fixture
def alice(browser_of):
    return browser_of("alice")


def address(alice, name="refund_order"):
    return f"{alice.url('agents:tools')}{name}/"


def test_the_list_names_every_tool_and_what_holds(alice):
    page = text_of(alice.get("agents:tools"))
    for words in ("refund_order", "look_up_order", "ask_for_person", "Always", "Never"):
        assert words in page
    assert "verified customers only" in page


def test_do_not_ask_again_up_to_a_sum(alice, cast):
    assert alice.client.post(address(alice), RULE).status_code == 302
    with cast.acme.scope():
        rule = rule_of("refund_order")
        assert (rule.approval, rule.threshold, rule.per_day) == ("above", Decimal(20), 5)
        assert AuditEntry.objects.filter(action="tool.rule_changed").count() == 1
    assert "amount above 20.00" in text_of(alice.get("agents:tools"))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("threshold", ""),
        ("threshold", "-1"),
        ("threshold_argument", ""),
        ("threshold_argument", "customer"),
        ("approval", "perhaps"),
        ("per_turn", "0"),
    ],
)
def test_a_bad_rule_is_refused_by_its_field(alice, cast, field, value):
    answer = alice.client.post(address(alice), {**RULE, field: value})
    assert answer.status_code == 422
    assert field in answer.context["form"].errors
    with cast.acme.scope():
        assert rule_of("refund_order").approval == "default"


def test_a_rule_is_one_tenants(alice, cast):
    alice.client.post(address(alice), RULE)
    with cast.globex.scope():
        assert rule_of("refund_order").approval == "default"


@pytest.fixture
def own(cast):
    """A request to the tenant's server, and a server with a tool."""
    amount = {"type": "object", "properties": {"order": {"type": "string"}, "amount": {}}}
    with cast.acme.scope():
        HttpTool.objects.create(name="pay_back", description="Pays.", schema=amount, url="x")
        tools = [{"name": "Move", "description": "Moves.", "schema": amount, "only_reads": False}]
        McpServer.objects.create(name="bank", url="x", tools=tools)
        model = ModelEndpoint.objects.create(name="m", api="offline", model="m")
        Specialist.objects.create(name="lawyer", description="Knows the law.", endpoint=model)


@pytest.mark.parametrize("name", ["pay_back", "bank_move"])
def test_the_tenants_own_tools_have_the_same_form(alice, cast, own, name):
    page = text_of(alice.get("agents:tools"))
    assert name in page
    assert alice.client.post(address(alice, name), RULE).status_code == 302
    with cast.acme.scope():
        assert (rule_of(name).approval, rule_of(name).threshold) == ("above", Decimal(20))
    wrong = alice.client.post(address(alice, name), {**RULE, "threshold_argument": "customer"})
    assert wrong.status_code == 422


def test_a_specialist_has_rules_too(alice, cast, own):
    assert "Knows the law." in text_of(alice.get("agents:tools"))
    given = {"enabled": "on", "approval": "always", "per_day": "5"}
    assert alice.client.post(address(alice, "lawyer"), given).status_code == 302
    with cast.acme.scope():
        assert rule_of("lawyer").per_day == 5


def test_a_rule_ends_with_its_tool(alice, cast, own):
    for name in ("pay_back", "bank_move"):
        alice.client.post(address(alice, name), RULE)
    with cast.acme.scope():
        tool, server = HttpTool.objects.get(), McpServer.objects.get()
    alice.post("agents:delete-http-tool", tool.id)
    with cast.acme.scope():
        keep_tools(server, [], by=cast.acme.alice.member)
        assert not ToolSetting.objects.exists()
        removed = AuditEntry.objects.filter(action="tool.rule_removed")
        assert [entry.detail["tool"] for entry in removed.order_by("id")] == [
            "pay_back",
            "bank_move",
        ]


def test_there_is_no_page_for_a_tool_that_does_not_exist(alice):
    assert alice.client.get(address(alice, "no_such_tool")).status_code == 404
