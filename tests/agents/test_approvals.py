"""A risky call waits for a person, and happens exactly once and exactly as it was shown."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from threading import Barrier

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from agents import tasks
from agents.models import Approval, Turn
from agents.services.approvals import (
    AboveLimit,
    AgentDoesNotAnswer,
    AlreadyDecided,
    ApprovalExpired,
    ApprovalVoid,
    ArgumentsChanged,
)
from agents.services.queueing import APPROVAL, TURN
from conversations.models import Conversation, Message
from conversations.services import control, lifecycle
from tenants.due import Work
from tenants.errors import NotFound
from tenants.models import AuditEntry, DueWork, Tenant
from tests.support.scripted import Say
from tests.support.shop import Shop, look_up, refund

pytestmark = pytest.mark.django_db(transaction=True)

# What the model asks for in one answer, and what then is done when all of it is approved.
BATCHES = {
    "one": ([refund()], [("1001", 20)]),
    "two": ([refund(), refund("1002", 30)], [("1001", 20), ("1002", 30)]),
    "mixed": ([look_up(), refund()], [("1001", 20)]),
}
DONE = Say(text="That is settled.")


@pytest.fixture
def shop():
    return Shop.make()


def ask(shop, calls):
    shop.say("My lamp came broken, please refund it.")
    shop.work_off(Say(text="I will see to it.", calls=calls))
    return shop.asked()


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("later", [False, True], ids=["at once", "after a further line"])
@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "elsewhere"])
@pytest.mark.parametrize("approved", [True, False], ids=["approved", "rejected"])
def test_a_decision_is_carried_out_once(shop, batch, later, elsewhere, approved):
    calls, effects = BATCHES[batch]
    asked = ask(shop, calls)
    assert shop.refunds() == []
    if later:
        shop.say("And when do you open?")
        shop.work_off(Say(text="At nine."))
    for approval in asked:
        shop.decide(approval, approved=approved)
    assert shop.refunds() == []

    (shop.work_off_elsewhere if elsewhere else shop.work_off)(DONE)
    shop.say("Thank you!")
    shop.work_off(Say(text="You are welcome."))

    assert sorted(shop.refunds()) == (effects if approved else [])
    assert ("agent", DONE.text) in shop.said()
    assert shop.said()[-1] == ("agent", "You are welcome.")
    assert set(shop.states(Approval)) == {"approved" if approved else "rejected"}
    assert set(shop.states(Turn)) == {"succeeded"}
    assert shop.events().count("waiting_for_colleague") == 1
    assert not shop.row().approval_pending
    assert [name for name, _ in shop.steps()].count("look_up_order") == (batch == "mixed")


def test_the_request_shows_the_exact_arguments_and_why(shop):
    (approval,) = ask(shop, [refund(amount=20.5)])
    assert approval.arguments == refund(amount=20.5)[1]
    assert approval.why == "I will see to it."
    assert approval.amount == Decimal("20.5")
    assert shop.row().approval_pending


def test_only_the_last_decision_of_a_batch_lets_the_agent_go_on(shop):
    first, second = ask(shop, BATCHES["two"][0])
    shop.decide(first, approved=True)
    assert shop.queued() is None
    assert shop.row().approval_pending
    shop.decide(second, approved=False, comment="Ask for a photo first.")
    shop.work_off(DONE)
    assert shop.refunds() == [("1001", 20)]
    with shop.scope():
        decisions = Message.objects.filter(role="member", text="")
        assert [len(row.parts or []) for row in decisions] == [2]
    assert "Ask for a photo first." in str(shop.requests[-1].options["instructions"])


def test_a_decision_joins_the_turn_that_is_queued(shop):
    (approval,) = ask(shop, [refund()])
    shop.say("Any news?")
    shop.decide(approval, approved=True)
    with shop.scope():
        assert Turn.objects.filter(state="queued").count() == 1
    shop.work_off(DONE)
    assert shop.refunds() == [("1001", 20)]
    assert shop.said()[-2:] == [("customer", "Any news?"), ("agent", DONE.text)]


def test_the_result_follows_its_call_however_far_the_talk_went_on(shop):
    (approval,) = ask(shop, [refund()])
    for number in range(25):
        shop.say(f"And another thing, number {number}?")
        shop.work_off(Say(text="Noted."))
    shop.decide(approval, approved=True)
    shop.work_off(DONE)
    assert shop.refunds() == [("1001", 20)]
    last = shop.requests[-1].messages
    assert [message.role for message in last[-2:]] == ["assistant", "tool"]


def test_the_agent_is_told_what_waits_and_not_to_ask_again(shop):
    ask(shop, [refund()])
    shop.say("Any news?")
    shop.work_off(Say(text="A colleague looks at it."))
    assert "waits for a colleague" in shop.requests[-1].options["instructions"]


def test_a_newer_batch_takes_the_place_of_the_one_that_waits(shop):
    (old,) = ask(shop, [refund()])
    shop.say("Rather all of it.")
    shop.work_off(Say(calls=[refund(amount=40)]))
    assert shop.states(Approval) == ["void", "pending"]
    with pytest.raises(ApprovalVoid):
        shop.decide(old, approved=True)
    shop.decide(shop.asked()[1], approved=True)
    shop.work_off(DONE)
    assert shop.refunds() == [("1001", 40)]


@pytest.mark.parametrize("change", [control.take_over, lifecycle.resolve])
def test_a_takeover_and_a_resolve_end_the_request(shop, change):
    (approval,) = ask(shop, [refund()])
    with shop.scope():
        change(shop.talk, by=shop.alice)
    assert shop.states(Approval) == ["void"]
    assert not shop.row().approval_pending
    with pytest.raises(ApprovalVoid):
        shop.decide(approval, approved=True)
    shop.work_off(DONE)
    assert shop.refunds() == []


def test_a_half_decided_batch_that_ends_does_nothing(shop):
    first, _ = ask(shop, BATCHES["two"][0])
    shop.decide(first, approved=True)
    with shop.scope():
        control.take_over(shop.talk, by=shop.alice)
    assert shop.states(Approval) == ["void", "void"]
    with shop.scope():
        control.hand_back(shop.talk, by=shop.alice)
    shop.say("And now?")
    shop.work_off(Say(text="A colleague saw to it."))
    assert shop.refunds() == []


def test_nobody_decides_in_time(shop):
    (approval,) = ask(shop, [refund()])
    with shop.scope():
        Approval.objects.update(expires_at=Now() - timedelta(seconds=1))
    with pytest.raises(ApprovalExpired):
        shop.decide(approval, approved=True)
    work = Work(shop.tenant.id, APPROVAL, approval.turn_id)
    for _ in range(2):
        tasks.expire(work)
    assert shop.states(Approval) == ["expired"]
    assert shop.states(Turn) == ["cancelled"]
    assert shop.row().handler == "team"
    assert shop.events().count("person_asked") == 1
    with pytest.raises(ApprovalExpired):
        shop.decide(approval, approved=True)
    assert not DueWork.objects.filter(kind=APPROVAL).exists()


def test_the_clock_of_a_request_is_the_tenants(shop):
    Tenant.objects.filter(pk=shop.tenant.pk).update(approval_hours=2)
    (approval,) = ask(shop, [refund()])
    due = DueWork.objects.get(kind=APPROVAL, ref_id=approval.turn_id)
    for at in (approval.expires_at, due.due_at):
        assert abs((at - approval.created_at).total_seconds() - 7200) < 60


def test_two_people_at_once_are_one_decision_and_one_execution(shop):
    (approval,) = ask(shop, [refund()])
    barrier, outcomes = Barrier(2), []

    def click(member, approved):
        barrier.wait()
        try:
            shop.decide(approval, approved=approved, by=member)
            outcomes.append(approved)
        except AlreadyDecided:
            outcomes.append(None)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(click, [shop.bob, shop.alice], [True, True]))
    assert sorted(outcomes, key=str) == [None, True]
    shop.work_off(DONE)
    assert shop.refunds() == [("1001", 20)]
    with shop.scope():
        assert Message.objects.filter(role="member", text="").count() == 1
        assert AuditEntry.objects.filter(action="approval.approved").count() == 1


def test_a_sum_above_the_limit_needs_an_admin(shop):
    (approval,) = ask(shop, [refund(amount=50.01)])
    with pytest.raises(AboveLimit):
        shop.decide(approval, approved=True)
    assert shop.states(Approval) == ["pending"]
    shop.decide(approval, approved=True, by=shop.alice)
    shop.work_off(DONE)
    assert shop.refunds() == [("1001", Decimal("50.01"))]


def test_other_arguments_than_those_asked_for_are_not_approved(shop):
    (approval,) = ask(shop, [refund()])
    with shop.scope():
        Approval.objects.update(arguments=refund(amount=90)[1])
    with pytest.raises(ArgumentsChanged):
        shop.decide(approval, approved=True)
    assert shop.states(Approval) == ["pending"]


def test_an_erased_talk_takes_its_request_along(shop):
    (approval,) = ask(shop, [refund()])
    with shop.scope():
        Conversation.objects.filter(pk=shop.talk.pk).delete()
    with pytest.raises(NotFound):
        shop.decide(approval, approved=True)
    tasks.expire(Work(shop.tenant.id, APPROVAL, approval.turn_id))
    assert not DueWork.objects.filter(kind=APPROVAL).exists()
    assert shop.states(Approval) == []


def test_the_shops_page_shows_the_effect(shop, client):
    (approval,) = ask(shop, [refund()])
    shop.decide(approval, approved=True)
    page = "/demo/shop/orders/1001"
    assert client.get(page).json()["refunds"] == []
    shop.work_off(DONE)
    assert [given["amount"] for given in client.get(page).json()["refunds"]] == [20.0]


@pytest.mark.parametrize("amount", ["much", None, float("inf"), "1e400"])
def test_a_sum_that_cannot_be_read_is_above_every_limit(shop, amount):
    (approval,) = ask(shop, [refund(amount=amount)])
    with pytest.raises(AboveLimit):
        shop.decide(approval, approved=True)
    shop.decide(approval, approved=True, by=shop.alice)
    shop.work_off(DONE)
    assert shop.refunds() == []


def test_a_decision_that_nobody_would_carry_out_is_not_taken(shop):
    (approval,) = ask(shop, [refund()])
    with shop.scope():
        lifecycle.snooze(shop.talk, until=timezone.now() + timedelta(hours=1), by=shop.alice)
    with pytest.raises(AgentDoesNotAnswer):
        shop.decide(approval, approved=True)
    assert shop.states(Approval) == ["pending"]


def test_what_is_queued_meanwhile_joins_the_turn_that_has_the_journal(shop):
    (approval,) = ask(shop, [refund()])
    shop.decide(approval, approved=True)
    failed = []

    def cut_once(_messages):
        """The refund is done; the customer writes; the answer breaks off."""
        if failed:
            return DONE
        failed.append(True)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(shop.say, "Are you there?").result()
        return Say(fail=OSError("cut"))

    shop.work_off(cut_once)
    assert shop.refunds() == [("1001", 20)]
    assert shop.steps() == [("refund_order", "finished")]
    assert shop.said()[-2:] == [("customer", "Are you there?"), ("agent", DONE.text)]
    assert sorted(shop.states(Turn)) == ["cancelled", "succeeded", "succeeded"]


class Offline:
    """The desk's own client that needs no model."""

    def __init__(self, shop):
        self.shop = shop

    def work_off(self):
        while (turn_id := self.shop.queued()) is not None:
            tasks.answer(Work(self.shop.tenant.id, TURN, turn_id))


@pytest.mark.parametrize(
    ("approved", "told"),
    [(True, "Refunded 20.00 for order 1001."), (False, "This was not done.")],
)
def test_the_offline_client_asks_too_and_tells_the_end(shop, approved, told):
    offline = Offline(shop)
    shop.say("Please refund 20 for order 1001, it came broken.")
    offline.work_off()
    (approval,) = shop.asked()
    assert approval.arguments["order"] == "1001"
    assert approval.amount == 20
    shop.say("Where is order 1002?")
    offline.work_off()
    assert "status: paid" in shop.said()[-1][1]
    shop.decide(approval, approved=approved)
    offline.work_off()
    assert shop.said()[-1][1].startswith(told)
    assert len(shop.refunds()) == approved


@pytest.mark.parametrize("asked", ["How do refunds work?", "Refund my order!", "order 1001"])
def test_the_offline_client_guesses_nothing(shop, asked):
    shop.say(asked)
    Offline(shop).work_off()
    assert shop.asked() == []
    assert all(name in {"search_knowledge", "ask_for_person"} for name, _ in shop.steps())
