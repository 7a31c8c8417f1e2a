"""Approvals for members' programs and in the web admin: who may, once, and what is said after."""

import json
from decimal import Decimal

import pytest
from django.test import Client

from agents.models import Approval
from agents.services.tools import ToolRule, rule_of
from conversations.services import control
from tenants.models import Actor, AuditEntry, Member, Role, User
from tenants.scoping import tenant_scope
from tenants.services.keys import create_api_key
from tests.support.console import text_of
from tests.support.contract import ContractClient
from tests.support.scripted import Say
from tests.support.shop import Shop, refund

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/api/v1/approvals"


@pytest.fixture
def shop():
    made = Shop.make()
    made.say("My lamp came broken, please refund it.")
    made.work_off(Say(text="I will see to it.", calls=[refund()]))
    return made


def program(member):
    """The member API as this person."""
    with tenant_scope(member.tenant_id):
        _, token = create_api_key(member, label="test", by=Actor.SYSTEM)
    return ContractClient(headers={"Authorization": f"Bearer {token}"})


def hired(shop, role):
    with shop.scope():
        user = User.objects.create_user(f"new-{role}@example.org", name="New")
        return Member.objects.create(user=user, role=role)


def decide(member, approval, verb="approve", **body):
    address = f"{PATH}/{approval.id}/{verb}"
    return program(member).post(address, body, content_type="application/json")


def test_the_list_shows_what_waits_with_exact_arguments(shop):
    (found,) = program(shop.bob).get(PATH).json()["results"]
    assert found["tool"] == "refund_order"
    assert found["arguments"] == refund()[1]
    assert (found["amount"], found["why"]) == ("20.00", "I will see to it.")
    assert program(shop.bob).get(PATH, {"state": "approved"}).json()["results"] == []
    assert program(shop.bob).get(PATH, {"state": "perhaps"}).status_code == 400


def test_an_approval_is_decided_once(shop):
    (approval,) = shop.asked()
    answer = decide(shop.bob, approval, comment="Seen the photo.")
    assert answer.status_code == 200, answer.content
    assert answer.json()["state"] == "approved"
    assert answer.json()["comment"] == "Seen the photo."
    for verb in ("approve", "reject"):
        again = decide(shop.alice, approval, verb)
        assert (again.status_code, again.json()["code"]) == (409, "already_decided")
    shop.work_off(Say(text="Done."))
    assert shop.refunds() == [("1001", 20)]
    (found,) = program(shop.bob).get(PATH, {"state": "approved"}).json()["results"]
    assert found["decided_by"] == shop.bob.name


def test_it_is_void_after_a_takeover(shop):
    (approval,) = shop.asked()
    with shop.scope():
        control.take_over(shop.talk, by=shop.alice)
    answer = decide(shop.bob, approval)
    assert (answer.status_code, answer.json()["code"]) == (410, "approval_void")


def test_it_is_over_after_its_time(shop):
    (approval,) = shop.asked()
    with shop.scope():
        Approval.objects.update(expires_at="2020-01-01T00:00Z")
    answer = decide(shop.bob, approval, "reject")
    assert (answer.status_code, answer.json()["code"]) == (410, "approval_expired")


def test_who_may_decide(shop):
    (approval,) = shop.asked()
    for role in (Role.VIEWER, Role.PRIVACY_OFFICER):
        assert decide(hired(shop, role), approval).status_code == 403
    stranger = Shop.make("globex").alice
    assert decide(stranger, approval).status_code == 404
    assert Client().post(f"{PATH}/{approval.id}/approve").status_code == 401
    assert shop.states(Approval) == ["pending"]


def test_a_support_agent_may_not_decide_above_the_limit(shop):
    shop.say("I want it all back.")
    shop.work_off(Say(calls=[refund(amount=80)]))
    approval = shop.asked()[-1]
    answer = decide(shop.bob, approval)
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert "Ask an admin" in answer.json()["detail"]
    assert decide(shop.alice, approval, "reject", comment="No.").status_code == 200


@pytest.mark.parametrize("body", [{"comment": 3}, {"comment": "x" * 2001}, {"note": "x"}])
def test_a_bad_body_decides_nothing(shop, body):
    (approval,) = shop.asked()
    assert decide(shop.bob, approval, **body).status_code in {400, 413}
    assert shop.states(Approval) == ["pending"]


def browser(member):
    client = Client()
    client.force_login(member.user)
    return client


def look(shop, member):
    return browser(member).get(f"/t/{shop.tenant.slug}/approvals/")


def click(shop, member, approval, verdict="approve", *, target="", **data):
    headers = {"HX-Request": "true", "HX-Target": target} if target else {}
    address = f"/t/{shop.tenant.slug}/approvals/{approval.id}/"
    return browser(member).post(address, {"verdict": verdict, **data}, headers=headers)


def test_the_page_shows_the_request_and_its_end(shop):
    (approval,) = shop.asked()
    page = browser(shop.bob).get(f"/t/{shop.tenant.slug}/approvals/").content.decode()
    for words in ("Refund order", "It came broken.", "I will see to it.", 'value="approve"'):
        assert words in page
    answer = click(shop, shop.bob, approval, target="approvals", comment="Fine.")
    page = answer.content.decode()
    assert 'value="approve"' not in page
    assert "Approved" in page
    assert "Fine." in page
    again = click(shop, shop.alice, approval, "reject", target="approvals")
    assert "decided this already" in json.loads(again["HX-Trigger"])["toast"]["text"]


def test_the_card_in_the_conversation_goes_with_the_decision(shop):
    (approval,) = shop.asked()
    address = f"/t/{shop.tenant.slug}/conversations/{shop.talk.id}/approvals/"
    assert 'value="reject"' in browser(shop.bob).get(address).content.decode()
    answer = click(shop, shop.bob, approval, "reject", target="pending-approvals")
    assert answer.content.decode().strip() == ""
    assert "rejected" in shop.events()


def test_it_works_without_a_script(shop):
    (approval,) = shop.asked()
    answer = click(shop, shop.bob, approval)
    assert answer["Location"] == f"/t/{shop.tenant.slug}/approvals/"
    assert shop.states(Approval) == ["approved"]


def test_one_act_approves_and_asks_no_more_up_to_that_sum(shop):
    (approval,) = shop.asked()
    assert "Yes, and do not ask again up to 20.00" in text_of(look(shop, shop.alice))

    click(shop, shop.alice, approval, "stand", comment="Small sums are fine.")

    with shop.scope():
        rule = rule_of("refund_order")
        entry = AuditEntry.objects.get(action="tool.rule_changed")
    assert rule == ToolRule(approval="above", threshold_argument="amount", threshold=Decimal(20))
    assert entry.actor_id == shop.alice.id
    shop.work_off(Say(text="Done."))
    assert shop.refunds() == [("1001", 20)]
    shop.say("Another one, please.")
    shop.work_off(Say(calls=[refund("1002", 20)]), Say(text="Done."))
    shop.say("And a dear one.")
    shop.work_off(Say(calls=[refund("1003", 21)]), Say(text="Done."))
    assert shop.refunds() == [("1001", 20), ("1002", 20)]
    assert shop.states(Approval) == ["approved", "pending"]


def test_a_standing_rule_is_for_those_who_may_set_rules(shop):
    (approval,) = shop.asked()
    assert "do not ask again" not in text_of(look(shop, shop.bob))
    click(shop, shop.bob, approval, "stand")
    assert shop.states(Approval) == ["pending"]
    with shop.scope():
        assert rule_of("refund_order").approval == "default"


def test_a_call_that_is_not_approved_leaves_no_rule(shop):
    (approval,) = shop.asked()
    with shop.scope():
        control.take_over(shop.row(), by=shop.bob)
    click(shop, shop.alice, approval, "stand")
    with shop.scope():
        assert rule_of("refund_order").approval == "default"


def test_a_sum_above_the_limit_has_no_button_for_a_support_agent(shop):
    shop.say("I want it all back.")
    shop.work_off(Say(calls=[refund(amount=80)]))
    address = f"/t/{shop.tenant.slug}/approvals/"
    assert "An admin decides" in browser(shop.bob).get(address).content.decode()
    assert 'value="approve"' not in browser(shop.bob).get(address).content.decode()
    assert 'value="approve"' in browser(shop.alice).get(address).content.decode()
