"""Cases from public reports of other desks, told anew: takeover, hand-back, double clicks, bursts.

The numbers are those of docs/runs.md; S05, the killed worker, is in tests/durability.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import uuid4

import pytest
from django.db import connection

from agents.models import ModelCall, Turn
from agents.runtime.runner import DESK, run_turn
from agents.services import turns
from agents.services.articles import create_article
from agents.services.contract import Fenced
from agents.services.failing import book_fenced
from agents.services.usage import MeteredCall
from conversations.models import Event, Message
from conversations.services import control, lifecycle
from conversations.services.messages import post_reply
from tenants.scoping import new_id
from tests.support.scripted import Say, ScriptedChatClient
from tests.support.shop import Shop
from tests.support.widget import Widget

pytestmark = pytest.mark.django_db(transaction=True)

# The report's ten seconds, and its steps around them, thirty times as fast.
THINKS = 0.33
TAKEN_AT = [0.1, *(round(0.30 + step * 0.007, 3) for step in range(8))]


@pytest.mark.parametrize("taken_at", TAKEN_AT)
def test_s01_a_takeover_while_the_agent_thinks(taken_at):
    shop = Shop.make(input_price=10, output_price=10)
    shop.say("Where is order 1001?")
    with shop.scope():
        claimed = turns.claim(shop.queued(), owner="test")
    assert claimed is not None
    typing: list[bool] = []
    desk = replace(DESK, typing=lambda *_, on: typing.append(on))
    client = ScriptedChatClient(Say(text="It is on its way.", wait=THINKS))

    def take_over():
        time.sleep(taken_at)
        with shop.scope():
            control.take_over(shop.row(), by=shop.bob)
        connection.close()

    sam = threading.Thread(target=take_over)
    sam.start()
    calls: list[MeteredCall] = []
    try:
        run_turn(claimed, calls=calls, client=client.opened, desk=desk)
    except Fenced:
        book_fenced(claimed, calls)
    sam.join()

    with shop.scope():
        (taken,) = Event.objects.filter(kind="taken_over")
        spoken = Message.objects.filter(role="agent").values_list("seq", flat=True)
        assert all(seq < taken.seq for seq in spoken)
        assert Turn.objects.get().state == ("succeeded" if spoken else "cancelled")
        assert ModelCall.objects.get().input_tokens == shop.row().input_tokens > 0
        assert (taken.public, bool(taken.line)) == (True, True)
    # The dots go out with the turn.
    assert typing[-1] is False


@pytest.mark.parametrize("writes_first", [False, True], ids=["hand-back", "after the resolve"])
def test_s03_a_hand_back_without_a_loop(writes_first):
    shop = Shop.make()
    with shop.scope():
        create_article(
            title="Opening hours", body="# Opening hours\n\nWe are open from nine to five.\n"
        )
    shop.say("I want to talk to a person")
    shop.work_off(Say(calls=[("ask_for_person", {"reason": "asked"})]), Say(text="A person comes."))
    with shop.scope():
        assert shop.row().handler == "team"
        post_reply(shop.row(), by=shop.bob, client_key=new_id(), text="We ship on Monday")
        lifecycle.resolve(shop.row(), by=shop.bob)
        if not writes_first:
            control.hand_back(shop.row(), by=shop.bob)
    shop.work_off(Say(text="Nobody asked for this."))
    before = len(shop.said())
    shop.say("What are your opening hours?")
    if writes_first and shop.row().handler == "team":
        with shop.scope():
            control.hand_back(shop.row(), by=shop.bob)
    shop.work_off(
        Say(calls=[("search_knowledge", {"query": "opening hours"})]), Say(text="Nine to five.")
    )
    assert shop.said()[before:] == [
        ("customer", "What are your opening hours?"),
        ("agent", "Nine to five."),
    ]
    assert ("agent", "Nobody asked for this.") not in shop.said()
    assert shop.events().count("person_asked") == 1
    assert shop.row().handler == "agent"
    # What Sam said is there for the model to repeat.
    assert "We ship on Monday" in shop.requests[-1].text


def test_s04_one_click_on_a_bad_network(cast):
    ada, key = Widget(cast.acme), uuid4()
    ada.start()
    talk = ada.talk("Hello")

    def click(_number=0, text="Where is my order?"):
        try:
            return ada.say(text, where=talk, key=key)
        finally:
            connection.close()

    answers = [click(), click()]
    with ThreadPoolExecutor(10) as pool:
        answers += pool.map(click, range(10))
    answers.append(click())
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert click(text="Other words").status_code == 409
    assert ada.say("Where is my order?", where=talk).status_code == 201
    with cast.acme.scope():
        assert Message.objects.filter(text="Where is my order?").count() == 2
        assert Turn.objects.count() == 1


class Sizes:
    """Answers with the last size that the customer named, and the order when there is one."""

    def __call__(self, messages):
        said = " ".join(message.text for message in messages if message.role == "user")
        size = max("ML", key=lambda letter: said.rfind(f"size {letter}"))
        order = "order 1002, " if "1002" in said else ""
        return Say(text=f"Noted: {order}size {size}.", wait=0.05)


def test_s06_a_burst_with_a_correction():
    shop = Shop.make()
    for line in ("My helmet is cracked", "size M", "sorry, size L"):
        shop.say(line)
    first, late = shop.queued(), iter(["order 1002"])
    client = ScriptedChatClient(Sizes())

    def commit(claimed, *, answer):
        for line in late:
            shop.say(line)
        turns.commit_turn(claimed, answer=answer)

    with shop.scope():
        claimed = turns.claim(first, owner="test")
    assert claimed is not None
    run_turn(claimed, calls=[], client=client.opened, desk=replace(DESK, commit=commit))
    shop.work_off_with(client)

    said = [text for role, text in shop.said() if role == "agent"]
    assert said == ["Noted: size L.", "Noted: order 1002, size L."]
    assert shop.states(Turn) == ["succeeded", "succeeded"]
    row = shop.row()
    assert row.answered_seq >= row.customer_seq
