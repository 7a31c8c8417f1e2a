"""A risky call waits for a person, and happens exactly once and exactly as it was shown."""

from decimal import Decimal

import pytest

from agents.models import Approval, Turn
from conversations.models import Message
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
        assert [len(row.parts) for row in decisions] == [2]
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
