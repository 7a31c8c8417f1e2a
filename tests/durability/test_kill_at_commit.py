"""S05: the worker dies as the answer is being stored, or just after; the customer sees it once."""

import os
import signal
from contextlib import contextmanager

import psycopg
import pytest

from agents.models import ModelCall, Turn
from agents.services.queueing import TURN
from conversations.models import Message
from tenants import due
from tests.durability.faults import QUICK, children_of, model
from tests.support.shop import Shop
from tests.support.stack import running_stack, wait_for

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.durability,
    pytest.mark.timeout(180),
]

# Whoever holds this lock keeps every message of the agent from being stored.
_GATE = 4712
_HOLD = f"""
CREATE FUNCTION hold_answer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_advisory_xact_lock({_GATE}); RETURN NEW; END $$;
CREATE TRIGGER hold_answer BEFORE INSERT ON conversations_message
  FOR EACH ROW WHEN (NEW.role = 'agent') EXECUTE FUNCTION hold_answer();
"""
_FREE = "DROP TRIGGER hold_answer ON conversations_message; DROP FUNCTION hold_answer();"
_WAITS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@contextmanager
def in_the_middle_of_storing():
    """Gives a question that says whether a worker stands there."""
    with psycopg.connect(os.environ["OWNER_DATABASE_URL"], autocommit=True) as owner:
        owner.execute(_HOLD)
        try:
            owner.execute("SELECT pg_advisory_lock(%s)", [_GATE])
            yield lambda: owner.execute(_WAITS).fetchone() != (0,)
            owner.execute("SELECT pg_advisory_unlock(%s)", [_GATE])
        finally:
            owner.execute("SELECT pg_advisory_unlock_all()")
            owner.execute(_FREE)


def kill(stack):
    for pid in children_of(stack.pid("turns")):
        os.kill(pid, signal.SIGKILL)


def answers(shop):
    return [text for role, text in shop.said() if role == "agent"]


def test_killed_just_before_it_is_stored():
    with model() as server, running_stack("turns", "sweep", "beat", env=QUICK) as stack:
        shop = Shop.make(api="chat_completions", model="scripted", base_url=server.base_url)
        with in_the_middle_of_storing() as stands_there:
            shop.say("Hello?")
            wait_for(stands_there, what="the commit is under way")
            kill(stack)
        # Its statement may still run now; without its client it is never committed.
        wait_for(lambda: answers(shop), 40, "the answer")
        asked = len([body for body in server.requests if len(body["messages"]) > 1])
    assert answers(shop) == ["re: Hello?"]
    assert shop.states(Turn) == ["succeeded"]
    with shop.scope():
        # The request of the killed process died with it; the one that answered is booked once.
        assert ModelCall.objects.filter(purpose="answer").count() == 1
    assert asked >= 2


def test_killed_just_after_it_is_stored_and_rung_for_again():
    with model() as server, running_stack("turns", "sweep", "beat", env=QUICK) as stack:
        shop = Shop.make(api="chat_completions", model="scripted", base_url=server.base_url)
        shop.say("Hello?")
        wait_for(lambda: answers(shop), what="the answer")
        kill(stack)
        with shop.scope():
            turn = Turn.objects.get()
        for _ in range(2):
            due.ring(shop.tenant.id, TURN, turn.id)
        shop.say("And now?")
        wait_for(lambda: len(answers(shop)) == 2, 40, "the next answer")
    assert answers(shop) == ["re: Hello?", "re: And now?"]
    with shop.scope():
        assert Message.objects.filter(turn_id=turn.id, role="agent").count() == 1
        assert ModelCall.objects.filter(turn_id=turn.id).count() == 1
