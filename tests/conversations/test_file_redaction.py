"""A file that was taken out: nowhere any more, in no copy, and its message says so."""

from uuid import uuid4

import pytest
from django.test import Client

from conversations.models import (
    REMOVED_NAME,
    Attachment,
    AttachmentBody,
    Conversation,
    Customer,
    Message,
    MessageEdit,
)
from conversations.selectors.files import files_of
from conversations.services import edits, exports, holds
from conversations.services.files import bring
from conversations.services.forking import fork
from conversations.services.messages import post_customer_message, post_reply
from conversations.shapes import file_json, message_json
from tenants.errors import Conflict
from tenants.models import AuditEntry
from tests.support.console import start, text_of
from tests.support.files import PICTURE, attach

SECRET = b"The number is 4000 0012 3456."


@pytest.fixture
def file(cast, talk) -> Attachment:
    """Sent by Carol without words, with another one."""
    with cast.acme.scope():
        contents = {"card.txt": SECRET, "other.txt": b"harmless"}
        files = [bring(by=cast.carol, name=name, content=contents[name]) for name in contents]
        post_customer_message(
            talk, customer=cast.carol, client_key=uuid4(), text="",
            attachments=[one.pk for one in files],
        )  # fmt: skip
        return Attachment.objects.get(name="card.txt")


def message_of(file: Attachment) -> Message:
    conversation_id, seq = file.line
    return Message.objects.get(conversation=conversation_id, seq=seq)


def test_bytes_names_and_what_repeats_them_are_gone(cast, talk, file):
    with cast.acme.scope():
        link = file_json(file)["url"]
        assert message_of(file).text == "card.txt, other.txt"
        gone = edits.redact_file(file, by=cast.acme.bob.member)
        assert (gone.name, gone.sha256, gone.is_removed) == (REMOVED_NAME, "", True)
        assert not AttachmentBody.objects.filter(attachment=file).exists()
        line = message_of(file)
        assert line.text == f"{REMOVED_NAME}, other.txt"
        assert line.edited_at
        assert Conversation.objects.get(pk=talk.pk).last_message_preview == line.text
        shown = message_json(line, cast.acme.tenant, files_of(talk.id, [line.seq]))
        assert [(one["name"], one["removed"], one["url"] is None) for one in shown["attachments"]]
        assert [one["removed"] for one in shown["attachments"]] == [True, False]
        entry = AuditEntry.objects.get(action="file.redacted")
        assert entry.detail == {"seq": file.seq}
        again = edits.redact_file(file, by=cast.acme.bob.member)
        assert again.redacted_at == gone.redacted_at
        assert AuditEntry.objects.filter(action="file.redacted").count() == 1
    assert Client().get(link).status_code == 404


def test_words_of_a_person_stay_and_earlier_names_go(cast, talk, file):
    with cast.acme.scope():
        bob = cast.acme.bob.member
        line = edits.edit_message(message_of(file), by=bob, text="Here is my card.txt")
        assert MessageEdit.objects.get().text == "card.txt, other.txt"
        edits.redact_file(file, by=bob)
        line.refresh_from_db()
        assert line.text == "Here is my card.txt"
        assert MessageEdit.objects.get().text == f"{REMOVED_NAME}, other.txt"


def test_every_copy_of_the_customer_goes_and_nobody_elses(cast, talk, file):
    with cast.acme.scope():
        bob = cast.acme.bob.member
        post_reply(talk, by=bob, client_key=uuid4(), text="Thank you")
        forked = fork(Message.objects.get(conversation=talk, text="Thank you"), by=bob)
        other = attach(start(Customer.objects.create(name="Dora"), "Hi"), content=SECRET)
        again = attach(start(cast.carol, "Again"), content=SECRET, name="card (1).txt")
        copy_of_carol = exports.ask(cast.carol, by=exports.Asker.member(bob))
        edits.redact_file(file, by=bob)
        copy_of_carol.refresh_from_db()
        assert copy_of_carol.state == "ended"
        left = AttachmentBody.objects.filter(content=SECRET)
        assert [body.attachment_id for body in left] == [other.pk]
        copy = Attachment.objects.filter(conversation=forked).earliest("id")
        assert copy.redacted_at
        assert message_of(copy).text == f"{REMOVED_NAME}, other.txt"
        again.refresh_from_db()
        assert again.name == REMOVED_NAME
        assert AttachmentBody.objects.count() == 3


def test_a_legal_hold_keeps_it(cast, talk, file):
    with cast.acme.scope():
        holds.place(talk, reason="Case 12", by=cast.acme.petra.member)
        with pytest.raises(Conflict, match="legal hold"):
            edits.redact_file(file, by=cast.acme.bob.member)
        assert AttachmentBody.objects.filter(attachment=file).exists()


def test_a_button_of_the_thread(browser_of, cast, talk, file):
    shown = browser_of("bob").post("conversations:redact-file", file.id, target="x")

    assert shown.status_code == 200
    assert "card.txt" not in text_of(shown)
    with cast.acme.scope():
        picture = attach(talk, name="held.png", preview=PICTURE)
        holds.place(talk, reason="Case 12", by=cast.acme.petra.member)
    shown = browser_of("bob").post("conversations:redact-file", picture.id, target="x")
    assert "legal hold" in shown.headers["HX-Trigger"]
    plain = browser_of("bob").post("conversations:redact-file", picture.id)
    assert plain.status_code == 302
    assert browser_of("mallory").post("conversations:redact-file", file.id).status_code == 404


def test_the_api_does_the_same(cast, talk, file):
    bob = cast.acme.bob.client()

    def redact(file_id):
        return bob.post(f"/api/v1/attachments/{file_id}/redact", {}, "application/json")

    answer = redact(file.id)

    assert answer.status_code == 200, answer.content
    assert answer.json() == {
        "id": str(file.id), "name": REMOVED_NAME, "media_type": "text/plain", "size": len(SECRET),
        "width": None, "height": None, "url": None, "preview_url": None, "removed": True,
    }  # fmt: skip
    assert redact(uuid4()).status_code == 404
    with cast.acme.scope():
        unsent = bring(by=cast.carol, name="x.txt", content=b"unsent")
    assert redact(unsent.id).status_code == 404
