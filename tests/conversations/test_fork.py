"""Going on from an earlier point: whole turns, the same customer, and the old talk as it was."""

from uuid import uuid4

import pytest

from agents.runtime.mapping import to_messages
from agents.runtime.ordering import causal, pair
from conversations.models import REMOVED_NAME, AttachmentBody, Conversation, Event, Message
from conversations.selectors.files import files_of
from conversations.services import edits
from conversations.services.forking import fork
from conversations.transcript import NewRow, append, load_window
from tests.support.console import say, text_of
from tests.support.files import PICTURE, attach
from tests.support.scripted import pair_faults

CALL = [{"type": "function_call", "call_id": "c1", "name": "look_up_order", "arguments": "{}"}]
RESULT = [{"type": "function_result", "call_id": "c1", "result": "shipped"}]


@pytest.fixture
def long(cast, talk):
    """A question, an answer with a tool, a line that came meanwhile, and a second answer."""
    with cast.acme.scope():
        first, second = uuid4(), uuid4()
        say(talk, "And 1002?")
        append(
            talk.id,
            [
                NewRow("agent", parts=CALL, turn_id=first, saw_seq=1),
                NewRow("tool", parts=RESULT, turn_id=first, saw_seq=1),
                NewRow("agent", "1001 is shipped.", turn_id=first, saw_seq=1),
            ],
            by="agent",
        )
        append(talk.id, [NewRow("agent", "1002 too.", turn_id=second, saw_seq=5)], by="agent")
        talk.refresh_from_db()
    return talk


def message(talk, text):
    return Message.objects.get(conversation=talk, text=text)


def test_a_fork_has_happened_up_to_its_message_and_the_old_talk_goes_on(cast, long):
    bob = cast.acme.bob.member
    with cast.acme.scope():
        before = list(Message.objects.filter(conversation=long).values())
        talk = fork(message(long, "1001 is shipped."), by=bob)

        texts = [row.text for row in Message.objects.filter(conversation=talk).order_by("seq")]
        assert texts == ["Where is order 1001?", "And 1002?", "", "", "1001 is shipped."]
        assert (talk.customer_id, talk.handler, talk.assignee_id) == (
            long.customer_id, "team", bob.id,
        )  # fmt: skip
        assert (talk.message_count, talk.last_message_preview) == (3, "1001 is shipped.")
        # The line that came while the agent thought is answered by nobody here.
        assert talk.is_unanswered
        assert talk.waiting_since is not None
        assert list(Message.objects.filter(conversation=long).values()) == before
        said = Event.objects.filter(kind__in=["forked", "forked_from"])
        assert {(event.conversation_id, event.detail["conversation"]) for event in said} == {
            (long.id, str(talk.id)), (talk.id, str(long.id)),
        }  # fmt: skip
        say(talk, "Thanks")
        assert Message.objects.filter(conversation=long, text="Thanks").count() == 0


def test_the_model_reads_a_fork_in_causal_order_with_whole_pairs(cast, long):
    with cast.acme.scope():
        talk = fork(message(long, "1001 is shipped."), by=cast.acme.bob.member)
        rows = load_window(cast.acme.tenant.id, talk.id, limit=40)
    shown = pair(to_messages(causal(rows)))
    assert pair_faults(shown) == []
    assert [one.text for one in shown if one.text] == [
        "Where is order 1001?", "1001 is shipped.", "And 1002?",
    ]  # fmt: skip


def test_a_turn_without_its_words_is_left_out_whole(cast, long):
    with cast.acme.scope():
        talk = fork(message(long, "And 1002?"), by=cast.acme.bob.member)
        rows = Message.objects.filter(conversation=talk)
        assert {row.role for row in rows} == {"customer"}


def test_a_fork_keeps_no_words_from_before_an_edit(cast, long):
    bob = cast.acme.bob.member
    with cast.acme.scope():
        edits.redact_words(message(long, "And 1002?"), by=bob, words="1002")
        talk = fork(message(long, "1001 is shipped."), by=bob)
        assert message(talk, "And ████?").edited_at is not None


def test_members_fork_by_a_button_and_programs_by_the_api(browser_of, cast, long):
    with cast.acme.scope():
        row = message(long, "1002 too.")
    bob = browser_of("bob")
    assert "Continue from here" in text_of(
        bob.get("conversations:edit-message", row.id, target="x")
    )

    went = bob.post("conversations:fork", row.id)

    page = text_of(bob.client.get(went["Location"]))
    assert "Bob continued another conversation here" in page
    assert "in a new conversation" in text_of(bob.get("conversations:thread", long.id))
    json = {"content_type": "application/json"}
    made = cast.acme.bob.client().post(f"/api/v1/messages/{row.id}/fork", {}, **json)
    assert made.status_code == 201
    with cast.acme.scope():
        assert Conversation.objects.filter(pk=made.json()["id"]).exists()
    vera = cast.acme.vera.client()
    assert vera.post(f"/api/v1/messages/{row.id}/fork", {}, **json).status_code == 403


def test_files_of_the_lines_before_are_copied_with_their_bytes(cast, long):
    with cast.acme.scope():
        before = [attach(long, 1, name="one.png", content=b"1", preview=PICTURE),
                  attach(long, 1, name="two.txt", content=b"2")]  # fmt: skip
        attach(long, long.last_seq, name="later.txt", content=b"3")
        out = attach(long, 1, name="out.txt", content=b"4")
        edits.redact_file(out, by=cast.acme.bob.member)

        talk = fork(message(long, "1001 is shipped."), by=cast.acme.bob.member)

        copies = files_of(talk.id, [1])[1]
        assert [file.name for file in copies] == ["one.png", "two.txt", REMOVED_NAME]
        assert [file.created_at for file in copies[:2]] == [file.created_at for file in before]
        assert files_of(talk.id, range(2, 99)) == {}
        bodies = AttachmentBody.objects.filter(attachment__in=copies)
        assert sorted((bytes(body.content), body.preview and bytes(body.preview))
                      for body in bodies) == [(b"1", PICTURE), (b"2", None)]  # fmt: skip
        assert {file.pk for file in copies}.isdisjoint(file.pk for file in before)
