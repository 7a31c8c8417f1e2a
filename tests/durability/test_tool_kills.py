"""A real worker dies around an approved refund: the money moves once, whatever is known of it."""

import os
import signal
from contextlib import contextmanager

import psycopg
import pytest

from agents.models import Approval, Turn
from tests.durability.faults import QUICK, children_of
from tests.support.model_server import ModelServer, Reply
from tests.support.shop import Shop, refund
from tests.support.stack import running_stack, wait_for

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.durability,
    pytest.mark.timeout(180),
]

# Whoever holds this lock keeps every journal entry from being finished.
_GATE = 4711
_HOLD = f"""
CREATE FUNCTION hold_journal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_advisory_xact_lock({_GATE}); RETURN NEW; END $$;
CREATE TRIGGER hold_journal BEFORE UPDATE ON agents_toolcall
  FOR EACH ROW EXECUTE FUNCTION hold_journal();
"""
_FREE = "DROP TRIGGER hold_journal ON agents_toolcall; DROP FUNCTION hold_journal();"


@contextmanager
def unfinished_journal():
    """Between the side effect and the journal's "finished", for as long as the block lasts."""
    with psycopg.connect(os.environ["OWNER_DATABASE_URL"], autocommit=True) as owner:
        owner.execute(_HOLD)
        try:
            owner.execute("SELECT pg_advisory_lock(%s)", [_GATE])
            yield
            owner.execute("SELECT pg_advisory_unlock(%s)", [_GATE])
        finally:
            owner.execute("SELECT pg_advisory_unlock_all()")
            owner.execute(_FREE)


class Model:
    """Asks for a refund, and says the result once it has one; slow at first when told so."""

    def __init__(self, *, slow_answer=0.0):
        self.slow_answer = slow_answer
        self.answers = 0

    def __call__(self, body):
        results = [m["content"] for m in body["messages"] if m["role"] == "tool"]
        if not results:
            return Reply(tool_calls=[refund()])
        self.answers += 1
        seconds = self.slow_answer if self.answers == 1 else 0
        return Reply(f"Result: {results[-1]}", seconds=seconds)


def approved_refund(server):
    """A shop whose customer waits for what a member has approved just now."""
    shop = Shop.make(api="chat_completions", model="scripted", base_url=server.base_url)
    shop.say("My lamp came broken.")
    (approval,) = wait_for(shop.asked, what="the request")
    shop.decide(approval, approved=True)
    return shop


def kill_workers(stack):
    """The processes that run turns, at once; their master starts new ones."""
    for pid in children_of(stack.pid("turns")):
        os.kill(pid, signal.SIGKILL)


def test_what_began_and_never_ended_is_not_repeated_but_handed_to_a_person():
    with (
        ModelServer(Model()) as server,
        running_stack("turns", "sweep", "beat", env=QUICK) as stack,
    ):
        with unfinished_journal():
            shop = approved_refund(server)
            wait_for(shop.refunds, what="the side effect")
            assert shop.steps() == [("refund_order", "started")]
            kill_workers(stack)
        wait_for(lambda: "person_asked" in shop.events(), what="a person was called")
    assert shop.refunds() == [("1001", 20)]
    assert shop.steps() == [("refund_order", "started")]
    assert shop.row().handler == "team"
    assert "unknown" in shop.said()[-1][1]


def test_what_ended_is_replayed_from_the_journal():
    model = Model(slow_answer=30)
    with ModelServer(model) as server, running_stack("turns", "sweep", "beat", env=QUICK) as stack:
        shop = approved_refund(server)
        wait_for(lambda: model.answers, what="the result is with the model")
        assert shop.steps() == [("refund_order", "finished")]
        kill_workers(stack)
        wait_for(lambda: len(shop.said()) > 1, what="the answer")
    assert shop.refunds() == [("1001", 20)]
    assert shop.steps() == [("refund_order", "finished")]
    assert shop.said()[-1] == ("agent", "Result: Refunded 20.00 for order 1001.")
    assert shop.row().handler == "agent"
    assert shop.states(Approval) == ["approved"]
    assert shop.states(Turn) == ["succeeded", "succeeded"]
