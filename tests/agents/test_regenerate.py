"""Another answer in place of the last one: kept for members, unsaid for everybody else."""

from uuid import uuid4

import pytest

from agents.models import Turn, TurnState
from agents.runtime.runner import run_turn
from agents.services import turns
from agents.services.contract import TurnAnswer
from agents.services.regenerating import NothingToRegenerate, regenerate_turn
from conversations.models import Conversation, Message
from conversations.selectors.lines import lines, messages_of
from conversations.services import control
from conversations.services.messages import post_reply
from conversations.shapes import line_json
from conversations.transcript import NewRow
from tenants.scoping import tenant_scope
from tests.support.console import text_of
from tests.support.desk import Desk
from tests.support.scripted import Say, ScriptedChatClient
from tests.support.talks import make_tenant

pytestmark = pytest.mark.django_db

BAD, GOOD = "It is lost.", "It leaves tomorrow."


@pytest.fixture
def desk():
    tenant = make_tenant("northwind")
    with tenant_scope(tenant.id):
        yield Desk.make()


def answer(conversation, *script) -> tuple[Turn, ScriptedChatClient]:
    turn = Turn.objects.get(conversation=conversation, state="queued")
    claimed = turns.claim(turn.id, owner="test")
    assert claimed
    client = ScriptedChatClient(*script)
    run_turn(claimed, calls=[], client=client.opened)
    turn.refresh_from_db()
    return turn, client


def said(conversation, *, private):
    found = lines(conversation.id, private=private)
    return [line.text for line in found if isinstance(line, Message)]


def test_the_old_answer_is_kept_for_members_and_unsaid_for_everybody_else(desk):
    conversation = desk.start()
    old, _ = answer(conversation, Say(BAD))

    new = regenerate_turn(old)

    conversation.refresh_from_db()
    assert said(conversation, private=False) == ["Where is order 1001?"]
    assert [line.text for line in messages_of(conversation.id)] == ["Where is order 1001?"]
    assert BAD in said(conversation, private=True)
    assert conversation.last_message_preview == "Where is order 1001?"
    assert (conversation.message_count, conversation.waiting_since is None) == (1, False)
    old.refresh_from_db()
    assert (old.state, new.retry_of, new.reason) == (TurnState.SUPERSEDED, old.id, "regenerated")

    _, client = answer(conversation, Say(GOOD))

    assert BAD not in client.requests[0].text
    assert said(conversation, private=False) == ["Where is order 1001?", GOOD]
    conversation.refresh_from_db()
    assert conversation.is_unanswered is False
    assert conversation.message_count == 2


def test_an_open_widget_is_told_without_the_words(desk):
    conversation = desk.start()
    old, _ = answer(conversation, Say(BAD))
    regenerate_turn(old)

    row = Message.objects.get(turn_id=old.id)
    shown = line_json(row, desk.tenant, private=False)
    assert (shown["superseded"], shown["text"], shown["html"]) == (True, "", "")


def test_what_the_tools_did_stays_known_to_the_model(desk):
    conversation = desk.start()
    call = Say(calls=[("search_knowledge", {"query": "order"})])
    old, _ = answer(conversation, call, Say(BAD))
    regenerate_turn(old)

    _, client = answer(conversation, Say(GOOD))

    kinds = [
        content.type for message in client.requests[0].messages for content in message.contents
    ]
    assert kinds.count("function_call") == kinds.count("function_result") == 1
    assert BAD not in client.requests[0].text


def test_an_answer_can_be_written_anew_twice(desk):
    conversation = desk.start()
    first, _ = answer(conversation, Say(BAD))
    regenerate_turn(first)
    second, _ = answer(conversation, Say("Second"))
    with pytest.raises(NothingToRegenerate):
        regenerate_turn(first)
    regenerate_turn(second)
    answer(conversation, Say(GOOD))

    assert said(conversation, private=False) == ["Where is order 1001?", GOOD]


@pytest.mark.parametrize("what", ["customer", "member", "taken over", "failed"])
def test_only_the_last_word_can_be_written_anew(desk, what):
    conversation = desk.start()
    old, _ = answer(conversation, Say(BAD))
    if what == "customer":
        desk.say(conversation, "Really?")
    elif what == "member":
        post_reply(conversation, by=desk.sam, client_key=uuid4(), text="No, it is here")
    elif what == "taken over":
        control.take_over(conversation, by=desk.sam)
    else:
        Turn.objects.filter(pk=old.pk).update(state="superseded")

    with pytest.raises(NothingToRegenerate):
        regenerate_turn(old)


def test_members_press_a_button(browser_of, cast, talk):
    with cast.acme.scope():
        claimed = turns.claim(Turn.objects.get(conversation=talk).id, owner="test")
        assert claimed is not None
        row = NewRow("agent", BAD, turn_id=claimed.turn_id, saw_seq=1)
        turns.commit_turn(claimed, answer=TurnAnswer([row], saw_seq=1))
    bob, vera = browser_of("bob"), browser_of("vera")
    assert "Answer anew" in text_of(bob.get("agents:turns", talk.id))
    assert "Answer anew" not in text_of(vera.get("agents:turns", talk.id))

    shown = text_of(bob.post("agents:regenerate-turn", claimed.turn_id, target="turns"))

    assert "Superseded" in shown
    assert "Queued" in shown
    assert "no longer see this answer" in text_of(bob.get("conversations:thread", talk.id))
    again = bob.post("agents:regenerate-turn", claimed.turn_id, target="turns")
    assert "Only the last answer" in again["HX-Trigger"]
    api = cast.acme.bob.client().post(
        f"/api/v1/turns/{claimed.turn_id}/regenerate", {}, content_type="application/json"
    )
    assert (api.status_code, api.json()["code"]) == (409, "nothing_to_regenerate")
    with cast.acme.scope():
        assert Conversation.objects.get(pk=talk.pk).is_unanswered
