"""The agent is never heard after a takeover, however the two meet."""

import random
import threading
from typing import Any

import pytest
from django.db import connection

from agents.models import Turn
from agents.services import turns
from agents.services.contract import Fenced, TurnAnswer
from conversations.models import Conversation, Event, Message
from conversations.services.control import hand_back, take_over
from conversations.transcript import NewRow
from tenants.models import Tenant
from tenants.scoping import tenant_scope
from tests.support.desk import Desk

RACES = 1000

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.durability,
    pytest.mark.timeout(240),
]


class Side(threading.Thread):
    """One side of the race, on a connection of its own, started by the barrier."""

    def __init__(self, barrier, act):
        super().__init__(daemon=True)
        self.barrier, self.act, self.wins = barrier, act, 0
        self.error = None

    def run(self):
        try:
            for _ in range(RACES):
                self.barrier.wait(30)
                self.act(self)
                self.barrier.wait(30)
        except BaseException as error:  # noqa: BLE001 - told to the test below
            self.error = error
            self.barrier.abort()
        finally:
            connection.close()


class Race:
    """One talk whose next turn is claimed before each race, and the two who race for it."""

    def __init__(self, tenant, desk, conversation):
        self.tenant, self.desk, self.conversation = tenant, desk, conversation
        self.turn: Any = None
        self.saw = 0

    def claim(self):
        with tenant_scope(self.tenant.id):
            queued = Turn.objects.get(conversation=self.conversation, state="queued")
            self.turn = turns.claim(queued.id, owner="race")
            self.saw = Conversation.objects.get(pk=self.conversation.pk).last_seq

    def commit(self, side):
        pause(random.uniform(0, 0.004))
        row = NewRow("agent", "An answer.", turn_id=self.turn.turn_id, saw_seq=self.saw)
        try:
            turns.commit_turn(self.turn, answer=TurnAnswer([row], saw_seq=self.saw))
            side.wins += 1
        except Fenced:
            pass

    def take(self, _side):
        pause(random.uniform(0, 0.004))
        with tenant_scope(self.tenant.id):
            take_over(self.conversation, by=self.desk.sam)

    def settle(self):
        with tenant_scope(self.tenant.id):
            assert agent_messages_after_the_takeover(self.conversation) == 0
            hand_back(self.conversation, by=self.desk.sam)
            if not Turn.objects.filter(conversation=self.conversation, state="queued").exists():
                self.desk.say(self.conversation, "And now?")


def test_no_agent_message_follows_a_takeover_in_a_thousand_races():
    tenant = Tenant.objects.create(slug="northwind", name="Northwind Bikes")
    with tenant_scope(tenant.id):
        desk = Desk.make()
        race = Race(tenant, desk, desk.start())
    barrier = threading.Barrier(3)
    sides = [Side(barrier, race.commit), Side(barrier, race.take)]
    for side in sides:
        side.start()
    for _ in range(RACES):
        race.claim()
        barrier.wait(30)
        barrier.wait(30)
        race.settle()
    for side in sides:
        side.join(30)
        assert side.error is None
    # Both orders really happened: a race that one side always wins proves nothing.
    assert RACES * 0.05 < sides[0].wins < RACES * 0.95


def agent_messages_after_the_takeover(conversation):
    taken = (
        Event.objects.filter(conversation=conversation, kind=Event.Kind.TAKEN_OVER)
        .order_by("-seq")
        .values_list("seq", flat=True)[0]
    )
    return Message.objects.filter(conversation=conversation, role="agent", seq__gt=taken).count()


def pause(seconds):
    threading.Event().wait(seconds)
