"""Files end by themselves: hidden at once, taken out in batches; their messages stay."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.utils import timezone

from conversations.models import (
    REMOVED_NAME,
    Attachment,
    AttachmentBody,
    Conversation,
    Kind,
    Message,
    RetentionRun,
)
from conversations.retained import retained
from conversations.selectors.retention import preview
from conversations.selectors.retention_law import rule_of
from conversations.services import holds, retention, retention_files
from conversations.services.files import bring
from conversations.services.messages import post_customer_message
from conversations.services.retention_rounds import step
from conversations.shapes import file_json
from tenants.personal_data import named
from tests.privacy.policies import mark, policy, whole_round
from tests.support.console import start, text_of
from tests.support.files import PICTURE, attach, bytes_left

DAY = timedelta(days=1)


@pytest.fixture
def petra(cast):
    return cast.acme.petra.member


def old(*files: Attachment, days: int = 9) -> None:
    ids = [file.pk for file in files]
    Attachment.stored.filter(pk__in=ids).update(created_at=timezone.now() - days * DAY)


def test_an_ended_file_opens_nowhere_and_its_place_says_so(cast, petra, talk, browser_of):
    carol, bob = cast.carol, cast.acme.bob.client()
    with cast.acme.scope():
        sent = bring(by=carol, name="passport.txt", content=b"words")
        post_customer_message(
            talk, customer=carol, client_key=uuid4(), text="", attachments=[sent.pk]
        )
        link = file_json(Attachment.objects.get(pk=sent.pk))["url"]
        policy(petra, 7, kind=Kind.FILES)
    assert Client().get(link).status_code == 200
    with cast.acme.scope():
        old(sent)
        mark()
    assert Client().get(link).status_code == 404
    line = bob.get(f"/api/v1/conversations/{talk.id}/messages").json()["results"][-1]
    (shown,) = line["attachments"]
    assert (shown["name"], shown["removed"], shown["url"]) == (REMOVED_NAME, True, None)
    assert line["text"] == REMOVED_NAME
    assert "passport" not in str(line)
    article = browser_of("bob").get("conversations:message", line["id"], target="x")
    assert "This file was removed" in text_of(article)
    assert "passport" not in text_of(article)


def test_an_ended_file_is_hidden_at_once_though_nothing_purges(cast, petra, talk):
    with cast.acme.scope():
        file, fresh = attach(talk, preview=PICTURE), attach(talk, name="fresh.txt")
        old(file)
        rule = policy(petra, 7, kind=Kind.FILES)
        mark()
        assert list(Attachment.objects.all()) == [fresh]
        hidden = Attachment.stored.get(pk=file.pk)
        assert (hidden.is_removed, hidden.shown_name) == (True, REMOVED_NAME)
        assert bytes_left() == 2
        retention.end(rule, by=petra)
        mark()
        assert Attachment.objects.get(pk=file.pk).shown_name == "receipt.txt"


def test_the_purge_takes_bytes_and_name_and_leaves_the_message(cast, petra, talk):
    with cast.acme.scope():
        file, fresh = attach(talk, preview=PICTURE), attach(talk, name="fresh.txt")
        old(file)
        rule = policy(petra, 7, kind=Kind.FILES)
        found = preview(rule_of(rule), Kind.FILES, member=petra)
        assert (found.counts, found.pieces) == ({"files of messages": 1}, 1)
        assert named("files of messages").title == "Files"
        whole_round()
        gone = Attachment.objects.get(pk=file.pk)
        assert (gone.name, gone.sha256, gone.expires_at) == (REMOVED_NAME, "", None)
        assert gone.redacted_at
        assert [body.attachment_id for body in AttachmentBody.objects.all()] == [fresh.id]
        assert Message.objects.filter(conversation=talk).count() == 1
        run = RetentionRun.objects.get()
        assert (run.counts, run.policy_id) == ({"files of messages": 1}, rule.id)
        assert run.finished_at
        whole_round()
        assert RetentionRun.objects.count() == 1


def test_a_message_of_files_alone_forgets_their_names(cast, petra):
    with cast.acme.scope():
        talk = start(cast.carol, "passport.png, bill.pdf")
        words = start(cast.carol, "My passport.png, please")
        passport, bill = attach(talk, name="passport.png"), attach(talk, name="bill.pdf")
        other = attach(words, name="passport.png")
        old(passport, other)
        policy(petra, 7, kind=Kind.FILES)
        whole_round()
        after = f"{REMOVED_NAME}, bill.pdf"
        assert Message.objects.get(conversation=talk).text == after
        assert Conversation.objects.get(pk=talk.pk).last_message_preview == after
        assert Message.objects.get(conversation=words).text == "My passport.png, please"
        old(bill)
        whole_round()
        assert Message.objects.get(conversation=talk).text == f"{REMOVED_NAME}, {REMOVED_NAME}"


def test_many_go_in_batches(cast, petra, talk, monkeypatch):
    monkeypatch.setattr(retention_files, "_FILES", 3)
    with cast.acme.scope():
        old(*(attach(talk, name=f"{n}.txt") for n in range(7)))
        policy(petra, 7, kind=Kind.FILES)
        mark()
        while bytes_left() == 7:
            assert step()
        assert bytes_left() == 4
        while step():
            pass
        assert bytes_left() == 0
        assert RetentionRun.objects.get().counts == {"files of messages": 7}


def test_a_large_part_waits_for_a_second_person(cast, petra, talk):
    with cast.acme.scope():
        policy(petra, 7, kind=Kind.FILES)
        old(*(attach(talk, name=f"{n}.txt") for n in range(101)))
        whole_round()
        assert RetentionRun.objects.get().held_back_at
        assert (bytes_left(), Attachment.objects.count()) == (101, 0)


def test_a_hold_beats_it_and_the_database_stands_behind(cast, petra, talk):
    with cast.acme.scope():
        file = attach(talk)
        old(file)
        policy(petra, 7, kind=Kind.FILES)
        mark()
        holds.place(talk, reason="Case 12", by=petra)
        assert Attachment.objects.get().name == "receipt.txt"
        whole_round()
        assert bytes_left() == 1
        for rows in (AttachmentBody.objects.all(), Attachment.stored.all()):
            with pytest.raises(DatabaseError, match="legal hold"), transaction.atomic():
                rows.delete()


def test_files_go_with_conditions_of_their_talk_and_with_the_talk(cast, petra):
    with cast.acme.scope():
        kept, going = start(cast.carol, "One"), start(cast.carol, "Two")
        old(attach(kept), attach(going))
        Conversation.objects.filter(pk=going.pk).update(status="resolved")
        policy(petra, 7, kind=Kind.FILES, status="resolved")
        whole_round()
        assert [body.attachment.conversation_id for body in AttachmentBody.objects.all()] == [
            kept.id
        ]
        Conversation.objects.update(last_message_at=timezone.now() - 9 * DAY)
        policy(petra, 7)
        whole_round()
        assert (Attachment.stored.count(), bytes_left()) == (0, 0)
        assert {table.kind for table in retained(Kind.FILES)} == {Kind.FILES}


def test_officers_choose_the_kind_by_page_and_by_api(cast, browser_of, talk):
    with cast.acme.scope():
        old(attach(talk))
    page, program = browser_of("petra"), cast.acme.petra.client()
    asked = {
        "name": "Files",
        "kind": "files",
        "days": "7",
        "status": "",
        "label": "",
        "channel": "",
    }

    shown = page.post("conversations:add-policy", **asked)

    said = text_of(shown)
    assert "Files, with their small pictures" in said
    assert "their messages stay and say that a file was removed" in said
    assert "it would delete: Files: 1." in said
    previewed = shown.context["form"].data["previewed"]
    assert (
        page.post("conversations:add-policy", **asked | {"previewed": previewed}).status_code == 302
    )
    (made,) = program.get("/api/v1/privacy/policies").json()["results"]
    assert (made["kind"], made["rows"]) == ("files", 1)
    counted = program.post(f"/api/v1/privacy/policies/{made['id']}/preview", {}, "application/json")
    assert counted.json()["counts"] == {"files of messages": 1}
