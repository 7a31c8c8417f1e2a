"""Streams over a real server: what was missed, the state, what is new; and who is shut out."""

import json
import socket
import time
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest
from django.utils import timezone

from conversations import live
from conversations.models import Conversation, Message, WidgetToken
from conversations.services import control, edits, lifecycle, messages
from tenants.models import ApiKey, Tenant
from tests.support.cast import found, make_cast
from tests.support.sse import Reader
from tests.support.stack import running_stack
from tests.support.widget import Widget

pytestmark = [pytest.mark.django_db(transaction=True)]


@pytest.fixture(scope="module")
def stack():
    with running_stack("web") as found:
        yield found


@pytest.fixture
def acme(transactional_db):
    return make_cast().acme


@pytest.fixture
def ada(acme):
    widget = Widget(acme)
    widget.start()
    return widget


def widget_stream(stack, talk, widget, query="", **headers):
    url = f"{stack.url}/widget/v1/conversations/{talk}/stream{query}"
    return Reader(url, widget.token, **headers)


def member_stream(stack, person, path, **headers):
    return Reader(f"{stack.url}/api/v1/{path}", person.api_key, **headers)


def has(event, count=1):
    return lambda sent: [one for one in sent if one.event == event][count - 1 :]


def row(talk):
    return Conversation.objects.get(pk=talk)


def test_a_stream_brings_what_was_said_then_the_state_then_what_is_new(stack, acme, ada):
    talk = ada.talk("One")
    with widget_stream(stack, talk, ada) as reader:
        reader.wait(has("state"))
        assert reader.response.headers["x-accel-buffering"] == "no"
        ada.say("Two", where=talk)
        reader.wait(has("message", 2), seconds=2)

    assert [(sent.id, sent.event) for sent in reader.sent] == [
        (1, "message"),
        (None, "state"),
        (2, "message"),
    ]


def test_a_client_that_was_away_misses_nothing(stack, acme, ada):
    talk = ada.talk("One")
    with acme.scope():
        messages.post_reply(row(talk), by=acme.bob.member, client_key=uuid4(), text="A")
        messages.post_reply(row(talk), by=acme.bob.member, client_key=uuid4(), text="B")
        lifecycle.resolve(row(talk), by=acme.bob.member)

    with widget_stream(stack, talk, ada, **{"Last-Event-ID": "1"}) as reader:
        state = reader.wait(has("state"))[0].data

    assert [sent.id for sent in reader.sent if sent.id] == [2, 3, 4, 5]
    assert reader.texts() == ["A", "B"]
    assert (state["status"], state["assignee_name"]) == ("resolved", "Bob")


@pytest.mark.parametrize("number", [150])
def test_a_long_gap_comes_whole_and_in_order(stack, acme, ada, number):
    talk = ada.talk("0")
    with acme.scope():
        for line in range(1, number):
            messages.post_reply(row(talk), by=acme.bob.member, client_key=uuid4(), text=str(line))

    with widget_stream(stack, talk, ada, "?after_seq=1") as reader:
        reader.wait(has("state"))

    assert reader.texts() == [str(line) for line in range(1, number)]


@pytest.mark.parametrize("forged", ["-1", "9" * 40, "999999", "1; DROP", "é", "0x1", ""])
def test_a_forged_last_event_id_is_ignored(stack, ada, forged):
    talk = ada.talk("One")

    with widget_stream(stack, talk, ada, **{"Last-Event-ID": forged.encode()}) as reader:
        reader.wait(has("state"))

    assert reader.texts() == ["One"]


def test_a_bad_position_in_the_query_is_refused(stack, ada):
    talk = ada.talk("One")
    url = f"{stack.url}/widget/v1/conversations/{talk}/stream"
    headers = {"Authorization": f"Bearer {ada.token}"}

    for query in ("after_seq=-1", "after_seq=x", "token=1"):
        answer = httpx.get(f"{url}?{query}", headers=headers)
        assert (answer.status_code, answer.headers["content-type"]) == (
            400,
            "application/problem+json",
        )


def test_notes_and_private_words_reach_members_only(stack, acme, ada):
    talk = ada.talk("One")
    with (
        widget_stream(stack, talk, ada) as customer,
        member_stream(stack, acme.bob, f"conversations/{talk}/stream") as member,
    ):
        customer.wait(has("state"))
        member.wait(has("state"))
        with acme.scope():
            messages.add_note(row(talk), by=acme.bob.member, text="fraud")
            lifecycle.snooze(row(talk), until=timezone.now() + timedelta(1), by=acme.bob.member)
        live.publish(UUID(talk), "delta", {"n": 0, "text": "draft"}, private=True)
        live.publish(UUID(talk), "delta", {"n": 0, "text": "open"})
        member.wait(has("delta", 2))
        customer.wait(has("delta"))

    assert [sent.event for sent in member.sent].count("note") == 1
    assert {sent.event for sent in customer.sent} == {"message", "state", "delta"}
    assert [sent.data["text"] for sent in customer.sent if sent.event == "delta"] == ["open"]


def test_an_edit_and_a_redaction_come_as_the_message_anew(stack, acme, ada):
    talk = ada.talk("card 4111")
    with widget_stream(stack, talk, ada) as reader:
        reader.wait(has("state"))
        with acme.scope():
            message = Message.objects.get(conversation=talk)
            edits.redact_message(message, by=acme.bob.member, start=5, end=9)
        anew = reader.wait(has("message", 2))[0]
    with widget_stream(stack, talk, ada, **{"Last-Event-ID": "1"}) as later:
        later.wait(has("state"))

    assert (anew.id, anew.data["text"], anew.data["edited"]) == (None, "card ████", True)
    assert later.texts() == ["card ████"]


def test_a_takeover_shows_at_once(stack, acme, ada):
    talk = ada.talk("One")
    with widget_stream(stack, talk, ada) as reader:
        reader.wait(has("state"))
        with acme.scope():
            control.take_over(row(talk), by=acme.bob.member)
        reader.wait(has("state", 2), seconds=2)

    assert reader.sent[-1].data["assignee_name"] == "Bob"
    assert [sent.data["line"] for sent in reader.sent if sent.event == "event"] == ["Bob joined"]


@pytest.mark.parametrize("accept", ["text/event-stream", "text/html", "*/*"])
def test_a_foreign_stream_is_problem_json_whatever_accept_says(stack, acme, ada, accept):
    other = Widget(acme)
    other.start()
    headers = {"Authorization": f"Bearer {ada.token}", "Accept": accept}
    for talk in (other.talk(), uuid4(), "nonsense"):
        answer = httpx.get(f"{stack.url}/widget/v1/conversations/{talk}/stream", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
        assert answer.headers["content-type"] == "application/problem+json"


def test_strangers_get_no_stream(stack, acme, ada):
    talk = ada.talk()
    for path in (
        f"widget/v1/conversations/{talk}/stream",
        f"api/v1/conversations/{talk}/stream",
        "api/v1/stream",
    ):
        for headers in ({}, {"Authorization": "Bearer nonsense"}):
            answer = httpx.get(f"{stack.url}/{path}", headers=headers)
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")


def test_a_revoked_token_ends_its_open_stream_within_ten_seconds(stack, acme, ada):
    talk = ada.talk()
    with widget_stream(stack, talk, ada) as reader:
        reader.wait(has("state"))
        with acme.scope():
            WidgetToken.objects.update(revoked_at=timezone.now())
        assert reader.ended.wait(10)


def test_a_revoked_key_and_a_suspended_tenant_end_members_streams(stack, acme, ada):
    with (
        member_stream(stack, acme.bob, "stream") as bob,
        member_stream(stack, acme.alice, "stream") as alice,
    ):
        bob.wait(has("state"))
        alice.wait(has("state"))
        with acme.scope():
            ApiKey.objects.filter(member=acme.bob.member).update(revoked_at=timezone.now())
        assert bob.ended.wait(10)
        assert not alice.ended.is_set()
        Tenant.objects.filter(pk=acme.tenant.pk).update(status="suspended")
        assert alice.ended.wait(10)


def test_an_erased_conversation_says_so_and_ends(stack, acme, ada):
    talk = ada.talk()
    with widget_stream(stack, talk, ada) as reader:
        reader.wait(has("state"))
        with acme.scope():
            row(talk).delete()
            live.ring(UUID(talk), "erased")
        reader.wait(has("erased"))
        assert reader.ended.wait(5)


def test_the_third_stream_of_a_customer_ends_the_first(stack, acme, ada):
    talk = ada.talk()
    with (
        widget_stream(stack, talk, ada) as first,
        widget_stream(stack, talk, ada) as second,
    ):
        first.wait(has("state"))
        second.wait(has("state"))
        with widget_stream(stack, talk, ada) as third:
            third.wait(has("state"))
            assert first.ended.wait(3)
            assert not second.ended.is_set()


def test_the_inbox_stream_tells_of_every_talk_that_changes(stack, acme, ada):
    with member_stream(stack, acme.bob, "stream") as reader:
        first = reader.wait(has("state"))[0].data
        talk = ada.talk("Where is it?")
        reader.wait(has("state", 2))

    assert first["conversation"] is None
    assert reader.sent[-1].data["conversation"]["id"] == talk
    assert reader.sent[-1].data["counts"]["all"] == 1


def test_another_tenants_talk_stays_out_of_the_inbox(stack, ada, acme):
    stranger = Widget(found("initech"))
    stranger.start()
    with member_stream(stack, acme.bob, "stream") as reader:
        reader.wait(has("state"))
        stranger.talk("secret")
        mine = ada.talk("mine")
        reader.wait(has("state", 2))

    shown = [sent.data["conversation"]["id"] for sent in reader.sent[1:]]
    assert set(shown) == {mine}


def test_a_client_that_leaves_in_mid_stream_leaves_the_server_whole(stack, acme, ada):
    talk = ada.talk("One")
    for _ in range(5):
        with widget_stream(stack, talk, ada) as reader:
            reader.wait(has("message"))
    time.sleep(0.3)

    with widget_stream(stack, talk, ada, **{"Last-Event-ID": "1"}) as reader:
        reader.wait(has("state"))
        ada.say("Two", where=talk)
        reader.wait(has("message"))
    assert reader.texts() == ["Two"]


@pytest.fixture(params=["down", "silent"])
def no_redis(request):
    """The address of a Redis that is not there, or lets everyone in and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        if request.param == "down":
            server.close()
        yield f"redis://127.0.0.1:{port}/0"


def test_without_redis_a_stream_is_late_and_complete(ada, acme, no_redis):
    talk = ada.talk("One")
    with (
        running_stack("web", env={"TURNSTONE_LIVE_REDIS_URL": no_redis}) as lonely,
        widget_stream(lonely, talk, ada) as reader,
    ):
        reader.wait(has("state"))
        start = time.monotonic()
        answer = httpx.post(
            f"{lonely.url}/widget/v1/conversations/{talk}/messages",
            json={"client_key": str(uuid4()), "text": "Two"},
            headers={"Authorization": f"Bearer {ada.token}"},
        )
        assert answer.status_code == 201
        assert time.monotonic() - start < 2
        reader.wait(has("message", 2), seconds=10)


def test_an_idle_stream_costs_no_thread(stack, acme, ada):
    talk = ada.talk()
    path = f"conversations/{talk}/stream"
    with ExitStack() as opened:
        first = opened.enter_context(member_stream(stack, acme.bob, path))
        first.wait(has("state"))
        before = threads(stack)
        for _ in range(20):
            opened.enter_context(member_stream(stack, acme.bob, path)).wait(has("state"))
        assert threads(stack) - before < 8


def threads(stack):
    return len(list(Path(f"/proc/{stack.pid('web')}/task").iterdir()))


def test_a_body_without_a_stated_length_is_read_and_limited(stack, acme, ada):
    def post(text):
        body = json.dumps({"client_key": str(uuid4()), "text": text}).encode()
        return httpx.post(
            f"{stack.url}/widget/v1/conversations",
            content=iter([body[:10], body[10:]]),
            headers={"Authorization": f"Bearer {ada.token}", "Content-Type": "application/json"},
        )

    assert post("Hello").status_code == 201
    assert post("x" * 300_000).status_code == 413
