"""Budgets for members' programs: the same limits as on the page, for those who may."""

import pytest

from agents.models import Budget
from tenants.models import Actor, AuditEntry
from tenants.services.keys import create_api_key
from tests.support.contract import ContractClient

pytestmark = pytest.mark.django_db
PATH = "/api/v1/budget"


@pytest.fixture
def program(cast):
    def made(name):
        with cast.acme.scope():
            member = cast.acme.people[name].member
            _, token = create_api_key(member, label="test", by=Actor.SYSTEM)
        return ContractClient(headers={"Authorization": f"Bearer {token}"})

    return made


def put(client, **body):
    return client.put(PATH, body, content_type="application/json")


def test_without_any_nothing_is_limited(program):
    shown = program("alice").get(PATH).json()
    assert shown["currency"] == "USD"
    assert {value for name, value in shown.items() if name != "currency"} == {None}


def test_all_limits_are_set_anew_and_a_reached_one_is_told(program, cast):
    alice = program("alice")
    put(alice, currency="EUR", turn_tokens=5000, month_cost="12.5")
    answer = put(alice, currency="EUR", day_tokens=0, month_cost="12.5")

    assert answer.status_code == 200, answer.content
    assert answer.json() == alice.get(PATH).json()
    shown = {name: value for name, value in answer.json().items() if value is not None}
    expected = {"currency": "EUR", "day_tokens": 0, "month_cost": "12.50"}
    assert shown == {**expected, "reached": "budget_day"}
    with cast.acme.scope():
        assert Budget.objects.count() == 1
        told = AuditEntry.objects.filter(action="budget.changed").order_by("id")
        assert [entry.detail["fields"] for entry in told] == [
            ["currency", "turn_tokens", "month_cost"],
            ["turn_tokens", "day_tokens"],
        ]


@pytest.mark.parametrize(
    "wrong",
    [{"day_tokens": -1}, {"currency": "euro"}, {"day_cost": "1.234"}, {"week_tokens": 1}],
)
def test_mistakes_are_named(program, wrong):
    answer = put(program("alice"), **{"currency": "EUR", **wrong})
    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == list(wrong)


@pytest.mark.parametrize("name", ["bob", "vera", "petra"])
def test_others_may_not(program, name):
    someone = program(name)
    assert someone.get(PATH).status_code == 403
    assert put(someone, currency="EUR").status_code == 403
