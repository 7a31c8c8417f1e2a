"""The page of tools: what holds for each, and a rule that is stored and audited."""

from decimal import Decimal

import pytest

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


def test_there_is_no_page_for_a_tool_that_does_not_exist(alice):
    assert alice.client.get(address(alice, "no_such_tool")).status_code == 404
