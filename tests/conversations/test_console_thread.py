"""One conversation on the page: what is shown, what is said, what is refused."""

import re
from uuid import uuid4

from conversations.models import Attachment, Conversation, Message, Note
from conversations.services import control, files, messages
from tests.support.console import say, start, text_of
from tests.support.files import PICTURE, attach
from tests.support.queries import at_most

SEQ = re.compile(r'data-seq="(\d+)"')


def fresh(cast, talk: Conversation) -> Conversation:
    with cast.acme.scope():
        return Conversation.objects.get(pk=talk.pk)


def seqs(answer) -> list[int]:
    return [int(seq) for seq in SEQ.findall(text_of(answer))]


def value_of(name: str, page: str) -> str:
    found = re.search(f'name="{name}" value="([^"]+)"', page)
    assert found
    return found[1]


def test_a_reply_is_a_takeover(browser_of, cast, talk):
    answer = browser_of("bob").post(
        "conversations:say", talk.id, target="composer-place", mode="reply", text="It is on its way"
    )

    assert answer.status_code == 200
    now = fresh(cast, talk)
    assert (now.handler, now.assignee_id) == ("team", cast.acme.bob.member.id)
    page = text_of(browser_of("bob").get("conversations:thread", talk.id))
    assert "It is on its way" in page
    assert "Bob took over" in page


def test_pressing_twice_says_it_once(browser_of, cast, talk):
    bob, words = browser_of("bob"), {"mode": "reply", "text": "Hello", "client_key": str(uuid4())}
    for _ in range(2):
        assert bob.post("conversations:say", talk.id, **words).status_code == 302
    with cast.acme.scope():
        assert Message.objects.filter(text="Hello").count() == 1


def test_a_stale_reply_shows_what_came_and_passes_the_second_time(browser_of, cast, talk):
    bob = browser_of("bob")
    seen = fresh(cast, talk).last_seq
    with cast.acme.scope():
        say(talk, "Wait, it is order 1002")
    words = {"mode": "reply", "text": "1001 ships today", "client_key": str(uuid4())}

    refused = bob.post(
        "conversations:say", talk.id, target="composer-place", **words, seen_seq=seen
    )

    assert refused.status_code == 409
    shown = text_of(refused)
    assert "Wait, it is order 1002" in shown
    assert "1001 ships today" in shown
    with cast.acme.scope():
        assert not Message.objects.filter(text="1001 ships today").exists()

    again = value_of("seen_seq", shown)
    assert value_of("client_key", shown) == words["client_key"]
    passed = bob.post(
        "conversations:say", talk.id, target="composer-place", **words, seen_seq=again
    )
    assert passed.status_code == 200


def test_a_stale_reply_without_scripts_comes_back_on_the_page(browser_of, cast, talk):
    with cast.acme.scope():
        say(talk, "One more thing")
    answer = browser_of("bob").post(
        "conversations:say", talk.id, mode="reply", text="My words", seen_seq=1
    )
    assert answer.status_code == 409
    assert "My words" in text_of(answer)
    assert "<html" in text_of(answer)


def test_an_empty_or_too_long_text_comes_back_with_what_to_do(browser_of, talk):
    bob = browser_of("bob")
    for text, reason in (("  ", "The text is empty"), ("x" * 10_001, "the limit is 10,000")):
        answer = bob.post(
            "conversations:say", talk.id, target="composer-place", mode="reply", text=text
        )
        assert answer.status_code == 422
        assert reason in text_of(answer)


def test_a_note_is_kept_from_the_customer_and_leaves_the_agent_at_work(browser_of, cast, talk):
    browser_of("bob").post("conversations:say", talk.id, mode="note", text="fraud check")

    assert fresh(cast, talk).handler == "agent"
    with cast.acme.scope():
        assert Note.objects.get().text == "fraud check"
        assert not Message.objects.filter(text="fraud check").exists()
    page = text_of(browser_of("vera").get("conversations:thread", talk.id))
    assert "only your team sees it" in page


def test_a_script_in_a_message_is_text(browser_of, cast):
    words = '<img src=x onerror="alert(1)"> [x](javascript:alert(1)) **bold**'
    with cast.acme.scope():
        talk = start(cast.carol, words)
        messages.add_note(talk, by=cast.acme.bob.member, text="<script>alert(2)</script>")

    page = text_of(browser_of("bob").get("conversations:thread", talk.id))

    assert "<img src=x" not in page
    assert 'href="javascript' not in page
    assert "<script>alert" not in page
    assert "<strong>bold</strong>" in page


def test_arabic_takes_its_own_direction(browser_of, cast):
    with cast.acme.scope():
        talk = start(cast.carol, "مرحبا، أين الطلب 1004؟")
    page = text_of(browser_of("bob").get("conversations:thread", talk.id))
    assert re.search(r'<div class="bubble prose-text" dir="auto"><p>مرحبا', page)


def test_lines_before_and_after_neither_repeat_nor_skip(browser_of, cast, talk):
    with cast.acme.scope():
        for number in range(130):
            say(talk, f"line {number}")
    bob = browser_of("bob")

    page = bob.get("conversations:thread", talk.id)
    shown = seqs(page)
    assert len(shown) == 50
    while older := re.search(r'data-older hx-get="([^"]+)"', text_of(page)):
        page = bob.client.get(older[1], headers={"HX-Request": "true"})
        shown = seqs(page) + shown

    assert shown == sorted(set(shown))
    assert len(shown) == 131
    after = seqs(bob.get("conversations:lines", talk.id, after_seq=shown[-4], target="x"))
    assert after == shown[-3:]
    assert seqs(bob.get("conversations:lines", talk.id, after_seq=shown[-1], target="x")) == []


def test_the_first_unread_line_is_marked(browser_of, cast, talk):
    bob = browser_of("bob")
    bob.get("conversations:thread", talk.id)
    with cast.acme.scope():
        say(talk, "second")
        say(talk, "third")

    page = text_of(bob.get("conversations:thread", talk.id))

    assert page.count('id="first-unread"') == 1
    assert page.index('id="first-unread"') < page.index("second")
    assert "first-unread" not in text_of(bob.get("conversations:thread", talk.id))


def test_an_unverified_customer_is_named_so(browser_of, talk):
    page = text_of(browser_of("bob").get("conversations:thread", talk.id))
    assert "Identity not verified" in page


def test_htmx_gets_the_conversation_alone(browser_of, talk):
    page = text_of(browser_of("bob").get("conversations:thread", talk.id, target="conversation"))
    assert "<html" not in page
    assert f'data-conversation="{talk.id}"' in page


def test_an_erased_conversation_is_gone(browser_of):
    answer = browser_of("bob").get("conversations:thread", uuid4())
    assert answer.status_code == 404
    assert "There is nothing here" in text_of(answer)


def test_a_thread_costs_the_same_for_any_number_of_lines(browser_of, cast, talk):
    bob = browser_of("bob")
    with cast.acme.scope():
        control.take_over(talk, by=cast.acme.bob.member)
        say(talk, "again")
    with at_most(13) as few:
        bob.get("conversations:thread", talk.id)
    with cast.acme.scope():
        for number in range(40):
            attach(talk, name=f"{number}.txt")
            say(talk, f"line {number}")
            start(cast.carol, f"another {number}")
    with at_most(13) as many:
        bob.get("conversations:thread", talk.id)
    with at_most(13):
        bob.get("conversations:thread", talk.id, target="conversation")
    with at_most(13):
        bob.get("conversations:details", talk.id, target="details")
    assert len(few) == len(many)


def test_a_reply_takes_its_files_along_and_a_note_takes_none(browser_of, cast, talk):
    bob = browser_of("bob")
    with cast.acme.scope():
        control.take_over(talk, by=cast.acme.bob.member)
        label, other = (
            files.bring(by=cast.acme.bob.member, name=name, content=b"Lamp Street 1")
            for name in ("label.txt", "other.txt")
        )
    words = {"text": "", "attachments": [str(label.id)]}
    answer = bob.post("conversations:say", talk.id, target="composer-place", mode="reply", **words)
    assert answer.status_code == 200

    page = text_of(bob.get("conversations:thread", talk.id, target="conversation"))
    assert 'download="label.txt"' in page
    # The names stand for the words of a message without any: the tiles say them already.
    assert page.count("label.txt</bdi>") == 1
    assert 'class="bubble prose-text" dir="auto"><p>label.txt' not in page
    assert "label.txt" in text_of(bob.get("conversations:details", talk.id, target="details"))

    note = {"text": "A note", "attachments": [str(other.id)]}
    bob.post("conversations:say", talk.id, target="composer-place", mode="note", **note)
    with cast.acme.scope():
        assert Attachment.objects.get(pk=other.pk).conversation_id is None


def test_a_file_that_is_not_there_leaves_the_words_in_the_composer(browser_of, cast, talk):
    bob = browser_of("bob")
    with cast.acme.scope():
        control.take_over(talk, by=cast.acme.bob.member)
    for file_id in (str(uuid4()), "no-id"):
        answer = bob.post(
            "conversations:say", talk.id, target="composer-place",
            mode="reply", text="See the label", attachments=[file_id],
        )  # fmt: skip
        assert answer.status_code == 422
        assert "not there any more" in text_of(answer)
        assert "See the label" in text_of(answer)
    with cast.acme.scope():
        assert not Message.objects.filter(text="See the label").exists()


def test_a_picture_has_its_room_and_a_removed_file_says_so(browser_of, cast, talk):
    with cast.acme.scope():
        picture = attach(talk, name="lamp.png", preview=PICTURE)
    bob = browser_of("bob")
    page = text_of(bob.get("conversations:thread", talk.id, target="conversation"))
    assert re.search(r'<img src="/files/[^"]+" alt="lamp.png" width="100" height="100"', page)
    assert bob.url("conversations:redact-file", picture.id) in page
    vera = browser_of("vera").get("conversations:thread", talk.id, target="conversation")
    assert "redact" not in text_of(vera)

    answer = bob.post("conversations:redact-file", picture.id, target="x")
    assert "This file was removed" in text_of(answer)
    assert "lamp.png" not in text_of(bob.get("conversations:details", talk.id, target="details"))
