"""The draft above the composer, and what the agent may do in one talk."""

import json
from uuid import uuid4

import pytest

from agents.models import ReplyDraft, Turn
from agents.services.queueing import cancel_turns
from conversations.models import Conversation, Message
from conversations.services import control
from tests.support.console import say, text_of

JSON = {"content_type": "application/json"}
WORDS = "It leaves **tomorrow**."


@pytest.fixture
def draft(cast, talk) -> ReplyDraft:
    with cast.acme.scope():
        control.set_mode(talk, mode="draft", by=cast.acme.bob.member)
        turn = Turn.objects.filter(conversation=talk).latest("created_at")
        row = Conversation.objects.get(pk=talk.pk)
        cancel_turns(row)
        return ReplyDraft.objects.create(
            conversation=row, turn=turn, text=WORDS, saw_seq=row.customer_seq
        )


def test_a_member_sends_the_draft_and_members_see_who_wrote_it(browser_of, cast, talk, draft):
    bob = browser_of("bob")
    card = text_of(bob.get("agents:draft", talk.id, target="agent-draft"))
    assert WORDS in card
    assert "The customer does not see it" in card
    assert 'name="read"' not in card

    sent = bob.post("agents:send-draft", draft.id, target="agent-draft", text=WORDS)

    assert json.loads(sent["HX-Trigger"]) == {"said": {}}
    with cast.acme.scope():
        assert Message.objects.get(role="member").text == WORDS
    assert "written with the AI agent" in text_of(bob.get("conversations:thread", talk.id))


def test_a_stale_draft_takes_more_than_one_press_and_keeps_the_members_words(
    browser_of, cast, talk, draft
):
    with cast.acme.scope():
        say(Conversation.objects.get(pk=talk.pk), "It is 1002")
    bob = browser_of("bob")

    refused = bob.post("agents:send-draft", draft.id, target="agent-draft", text="My words")

    assert refused.status_code == 409
    shown = text_of(refused)
    assert "My words" in shown
    assert 'name="read" required' in shown
    with cast.acme.scope():
        newest = Conversation.objects.get(pk=talk.pk).customer_seq
    sent = bob.post(
        "agents:send-draft", draft.id, target="agent-draft", text="Mine", read="on", read_seq=newest
    )
    assert sent.status_code == 200


def test_a_viewer_reads_the_draft_and_presses_nothing(browser_of, talk, draft):
    card = text_of(browser_of("vera").get("agents:draft", talk.id, target="agent-draft"))
    assert "It leaves" in card
    assert "<button" not in card
    assert browser_of("mallory").post("agents:send-draft", draft.id).status_code == 404


def test_a_discarded_draft_is_gone(browser_of, talk, draft):
    bob = browser_of("bob")
    card = bob.post("agents:discard-reply-draft", draft.id, target="agent-draft")
    assert WORDS not in text_of(card)


def test_the_mode_of_one_talk_is_chosen_beside_it(browser_of, cast, talk):
    bob = browser_of("bob")
    assert "as in the settings: answers by itself" in text_of(
        bob.get("conversations:details", talk.id, target="details")
    )
    shown = bob.post("conversations:mode", talk.id, target="details", mode="draft")
    assert '<option value="draft" selected>' in text_of(shown)
    page = text_of(bob.get("conversations:thread", talk.id))
    assert "Bob lets the AI agent write drafts here" in page
    assert "writes drafts" in page


def test_programs_read_send_and_discard_drafts(cast, talk, draft):
    bob = cast.acme.bob.client()
    place = f"/api/v1/conversations/{talk.id}/draft"
    assert bob.get(place).json()["draft"]["text"] == WORDS
    assert cast.acme.vera.client().post(place, {}, **JSON).status_code == 403

    sent = bob.post(f"/api/v1/drafts/{draft.id}/send", {"client_key": str(uuid4())}, **JSON)

    assert (sent.status_code, sent.json()["text"]) == (201, WORDS)
    gone = bob.post(f"/api/v1/drafts/{draft.id}/send", {"client_key": str(uuid4())}, **JSON)
    assert (gone.status_code, gone.json()["code"]) == (409, "draft_gone")
    assert bob.post(f"/api/v1/drafts/{draft.id}/discard", {}, **JSON).json()["draft"] is None


def test_programs_set_the_mode(cast, talk):
    bob = cast.acme.bob.client()
    place = f"/api/v1/conversations/{talk.id}"
    assert bob.patch(place, {"mode": "off"}, **JSON).json()["mode"] == "off"
    assert bob.patch(place, {"mode": "loud"}, **JSON).status_code == 400
