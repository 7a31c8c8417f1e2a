"""Changing what was said: edited with a history, blacked out for good."""

import pytest

from agents.runtime.mapping import to_messages
from conversations.models import Conversation, Message, MessageEdit
from conversations.selectors.inbox import Filters, inbox
from conversations.selectors.lines import lines
from conversations.shapes import line_json
from conversations.transcript import load_window
from tenants.models import AuditEntry
from tenants.services.audit import pseudonym
from tests.support.console import text_of

SECRET = "Where is order 1001?"


@pytest.fixture
def line(cast, talk) -> Message:
    with cast.acme.scope():
        return Message.objects.get(conversation=talk)


def edit(browser, line, **data):
    data.setdefault("seen", "")
    return browser.post("conversations:edit-message", line.id, target="x", **data)


def test_a_teammate_gives_a_message_new_words_and_everyone_reads_them(browser_of, cast, talk, line):
    shown = edit(browser_of("bob"), line, text="Where is my **lamp**?")

    assert "(edited)" in text_of(shown)
    assert "<strong>lamp</strong>" in text_of(shown)
    with cast.acme.scope():
        model = to_messages(load_window(talk.tenant_id, talk.id, limit=9))
        customer = [line_json(row, cast.acme.tenant, private=False)
                    for row in lines(talk.id, private=False)]  # fmt: skip
        member = cast.acme.bob.member
        assert [row.id for row in inbox(member, Filters(q="lamp"))] == [talk.id]
        assert inbox(member, Filters(q="1001")) == []
        assert Conversation.objects.get(pk=talk.pk).last_message_preview == "Where is my lamp?"
    assert [message.text for message in model] == ["Where is my **lamp**?"]
    assert [(row["text"], row["edited"]) for row in customer] == [("Where is my **lamp**?", True)]


def test_members_look_up_what_it_said_before(browser_of, line):
    edit(browser_of("bob"), line, text="Where is my lamp?")
    vera = browser_of("vera")
    for target in ("x", ""):
        history = text_of(vera.get("conversations:message-history", line.id, target=target))
        assert SECRET in history
        assert "Bob" in history


def test_the_second_of_two_editors_is_told(browser_of, cast, line):
    edit(browser_of("bob"), line, text="First words")
    refused = edit(browser_of("alice"), line, text="Second words")

    assert refused.status_code == 409
    assert "Somebody changed this message meanwhile" in text_of(refused)
    assert "Second words" in text_of(refused)
    with cast.acme.scope():
        line.refresh_from_db()
        seen = line.edited_at.isoformat()
        assert line.text == "First words"
    assert edit(browser_of("alice"), line, text="Second words", seen=seen).status_code == 200


def test_blacked_out_words_are_kept_nowhere(browser_of, cast, talk, line):
    bob = browser_of("bob")
    edit(bob, line, text="order 1001 and again 1001")

    shown = bob.post("conversations:redact-message", line.id, target="x", words="1001")

    assert "order ████ and again ████" in text_of(shown)
    assert "is-redacted" in text_of(shown)
    with cast.acme.scope():
        assert not MessageEdit.objects.exists()
        row = Conversation.objects.get(pk=talk.pk)
        assert row.last_message_preview == "order ████ and again ████"
        entry = AuditEntry.objects.get(action="message.redacted")
        assert entry.target_id == pseudonym(talk.id)
    history = text_of(bob.get("conversations:message-history", line.id, target="x"))
    assert "1001" not in history


def test_words_that_do_not_stand_there_are_refused_with_what_to_do(browser_of, line):
    answer = browser_of("bob").post(
        "conversations:redact-message", line.id, target="x", words="absent"
    )
    assert answer.status_code == 422
    assert "exactly as they stand" in text_of(answer)


def test_without_scripts_it_is_a_page_of_its_own(browser_of, line):
    bob = browser_of("bob")
    page = text_of(bob.get("conversations:edit-message", line.id))
    assert "<html" in page
    assert SECRET in page
    done = bob.post("conversations:edit-message", line.id, text="New", seen="")
    assert done.status_code == 302


def test_only_those_who_may_reply_are_offered_a_change(browser_of, talk):
    offer = "Change or black out this message"
    assert offer in text_of(browser_of("bob").get("conversations:thread", talk.id))
    assert offer not in text_of(browser_of("vera").get("conversations:thread", talk.id))


def test_a_foreign_message_does_not_exist(browser_of, line):
    answer = browser_of("mallory").get("conversations:message", line.id)
    assert answer.status_code == 404
