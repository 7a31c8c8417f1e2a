"""One attempt at a turn: what it commits, what it raises, how it is stopped, what streams show."""

import time
from threading import Thread

import pytest
import redis
from django.conf import settings as django_settings

from agents.models import ToolCall
from agents.runtime.errors import turn_error
from agents.runtime.runner import Desk, run_turn
from agents.runtime.stop import stop_channel
from agents.services.contract import Fenced, TurnError
from conversations.models import Message
from tenants.scoping import tenant_scope
from tests.support.scripted import Say, ScriptedChatClient
from tests.support.talks import Recorder, claim, make_talk, make_tenant, reply

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def tenant():
    return make_tenant()


def attempt(claimed, client, recorder=None, calls=None):
    recorder = recorder or Recorder()
    calls = [] if calls is None else calls
    run_turn(claimed, calls=calls, client=client.opened, desk=recorder.desk)
    return recorder, calls


def test_an_answer_is_committed_once_with_its_calls_and_watermark(tenant):
    talk = make_talk(tenant, "Where is order 1001?", "It is urgent")
    claimed = claim(talk)
    client = ScriptedChatClient(Say(text="It is on its way."))
    recorder, calls = attempt(claimed, client)
    (answer,) = recorder.answers
    assert [(r.role, r.text, r.turn_id) for r in answer.rows] == [
        ("agent", "It is on its way.", claimed.turn_id)
    ]
    assert answer.saw_seq == 2
    assert answer.calls is calls
    (metered,) = calls
    assert (metered.input_tokens, metered.output_tokens, metered.outcome) == (100, 20, "ok")
    assert [m.text for m in client.requests[0].messages] == [
        "Where is order 1001?",
        "It is urgent",
    ]


def test_instructions_hold_rules_and_facts_and_are_never_stored(tenant):
    talk = make_talk(tenant, "hello")
    client = ScriptedChatClient(Say(text="hi"))
    attempt(claim(talk), client)
    told = client.requests[0].options["instructions"]
    assert "data" in told
    assert "Acme" in told
    assert "has not proven who they are" in told
    with tenant_scope(tenant.id):
        assert Message.objects.count() == 2


def test_the_human_stretch_is_marked_after_a_hand_back(tenant):
    talk = make_talk(tenant, "I want a person")
    reply(talk, "We ship on Monday.")
    client = ScriptedChatClient(Say(text="Sam said Monday."))
    attempt(claim(talk, reason="handed_back"), client)
    request = client.requests[0]
    assert "handed back to you" in request.options["instructions"]
    assert request.messages[-1].text == "[Sam, support] We ship on Monday."


def test_a_tool_round_is_stored_with_its_pairs_and_journalled(tenant):
    talk = make_talk(tenant, "opening hours?")
    claimed = claim(talk)
    client = ScriptedChatClient(
        Say(text="Let me look.", calls=[("search_knowledge", {"query": "opening hours"})]),
        Say(text="I found nothing."),
    )
    recorder, calls = attempt(claimed, client)
    rows = recorder.answers[0].rows
    assert [(r.role, r.text) for r in rows] == [
        ("agent", ""),
        ("tool", ""),
        ("agent", "I found nothing."),
    ]
    assert len(calls) == 2
    with tenant_scope(tenant.id):
        step = ToolCall.objects.get()
    assert (step.state, step.step, step.arguments["query"]) == ("finished", 1, "opening hours")


def test_deltas_grow_in_order_and_make_up_the_answer(tenant):
    talk = make_talk(tenant, "hello")
    text = "one two three four five six seven"
    client = ScriptedChatClient(Say(text=text, chunk=4, chunk_wait=0.04))
    recorder, _ = attempt(claim(talk, attempt=2), client)
    numbers = [delta["n"] for delta in recorder.deltas]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) > 3
    assert {delta["attempt"] for delta in recorder.deltas} == {2}
    assert text.startswith("".join(delta["text"] for delta in recorder.deltas))


def test_typing_is_told_while_the_turn_runs_and_taken_back_however_it_ends(tenant):
    answered, _ = attempt(claim(make_talk(tenant, "hello")), ScriptedChatClient(Say(text="hi")))
    fenced = Recorder(refuse=Fenced())
    with pytest.raises(Fenced):
        attempt(claim(make_talk(tenant, "hello")), ScriptedChatClient(Say(text="hi")), fenced)
    assert answered.typing == fenced.typing == [True, False]


def test_the_loop_ends_after_eight_steps_with_words(tenant):
    talk = make_talk(tenant, "hello")
    search = Say(calls=[("search_knowledge", {"query": "x"})])

    def script(messages):
        rounds = sum(1 for m in messages if m.role == "tool")
        return search if rounds < 8 else Say(text="I could not find it.")

    client = ScriptedChatClient(script)
    recorder, calls = attempt(claim(talk), client)
    assert recorder.answers[0].rows[-1].text == "I could not find it."
    assert len(calls) == 9


def test_a_burst_of_calls_is_cut_at_sixteen(tenant):
    talk = make_talk(tenant, "hello")
    burst = Say(calls=[("search_knowledge", {"query": str(n)}) for n in range(20)])
    client = ScriptedChatClient(burst, Say(text="done"), strict=False)
    attempt(claim(talk), client)
    with tenant_scope(tenant.id):
        assert ToolCall.objects.count() == 16


class Answered(Exception):
    """Looks like an SDK's error for an HTTP answer."""

    def __init__(self, status, headers=None, text="no"):
        super().__init__(text)
        self.status_code = status
        self.response = type("Response", (), {"headers": headers or {}})()


@pytest.mark.parametrize(
    ("say", "code", "retryable"),
    [
        (Say(fail=Answered(401)), "provider_auth", False),
        (Say(fail=Answered(403)), "provider_auth", False),
        (Say(fail=Answered(404)), "provider_rejected", False),
        (Say(fail=Answered(429)), "provider_rate_limited", True),
        (Say(fail=Answered(429, text="insufficient_quota")), "provider_quota", False),
        (Say(fail=Answered(500)), "provider_unavailable", True),
        (Say(fail=Answered(529)), "provider_unavailable", True),
        (Say(text="half an ans", fail=ConnectionResetError("gone")), "connection", True),
        (Say(fail=TimeoutError()), "timeout", True),
        (Say(text="half an ans", cut=True), "cut_stream", True),
        (Say(text=""), "empty_answer", True),
        (Say(text="  \n"), "empty_answer", True),
        (Say(text="I", finish="content_filter"), "content_filter", False),
        (Say(fail=ValueError("a bug")), "internal", True),
    ],
)
def test_what_goes_wrong_is_named_and_stores_nothing(tenant, say, code, retryable):
    talk = make_talk(tenant, "hello")
    recorder, calls = Recorder(), []
    with pytest.raises(TurnError) as caught:
        attempt(claim(talk), ScriptedChatClient(say), recorder, calls)
    assert (caught.value.code, caught.value.retryable) == (code, retryable)
    assert recorder.answers == []
    assert len(calls) == 1
    assert calls[0].outcome == ("ok" if code == "empty_answer" else "error")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "999999"}, 600),
        ({"retry-after": "-1"}, 0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Mon, 01 Jan 2001 00:00:00 GMT"}, 0),
        ({}, None),
    ],
)
def test_retry_after_is_read_from_the_headers(headers, seconds):
    assert turn_error(Answered(429, headers)).retry_after == seconds


def test_the_detail_never_holds_the_key():
    error = turn_error(Answered(401, text="Incorrect key sk-123 given"), secret="sk-123")
    assert "sk-123" not in error.detail
    assert error.provider_status == 401


def test_half_of_a_cut_answer_runs_no_tool(tenant):
    talk = make_talk(tenant, "hello")

    def script(_messages):
        return Say(text="Let me", calls=[("search_knowledge", {"query": "x"})], cut=True)

    with pytest.raises(TurnError, match="cut_stream"):
        attempt(claim(talk), ScriptedChatClient(script))
    with tenant_scope(tenant.id):
        assert not ToolCall.objects.exists()


def test_the_deadline_ends_a_silent_model(tenant):
    talk = make_talk(tenant, "hello")
    calls = []
    began = time.monotonic()
    with pytest.raises(TurnError) as caught:
        attempt(claim(talk, seconds=0.3), ScriptedChatClient(Say(text="x", wait=20)), calls=calls)
    assert time.monotonic() - began < 2
    assert (caught.value.code, caught.value.retryable) == ("timeout", True)
    assert calls[0].outcome == "cancelled"
    # The provider never said what it used, and bills it all the same.
    assert calls[0].estimated
    assert calls[0].input_tokens > 100


def test_a_message_on_the_turns_channel_stops_it_at_once(tenant):
    talk = make_talk(tenant, "hello")
    claimed = claim(talk)
    calls = []

    def cancel():
        client = redis.Redis.from_url(django_settings.LIVE_REDIS_URL)
        while not client.publish(stop_channel(claimed.turn_id), "stop"):
            time.sleep(0.05)
        client.close()

    thread = Thread(target=cancel)
    thread.start()
    began = time.monotonic()
    with pytest.raises(Fenced):
        attempt(claimed, ScriptedChatClient(Say(text="x", wait=20)), calls=calls)
    thread.join()
    assert time.monotonic() - began < 5
    assert calls[0].outcome == "cancelled"


def test_a_lost_lease_stops_it_at_the_next_heartbeat(tenant, settings):
    settings.TURN_HEARTBEAT_SECONDS = 0.1
    talk = make_talk(tenant, "hello")
    recorder = Recorder(alive=False)
    with pytest.raises(Fenced):
        attempt(claim(talk), ScriptedChatClient(Say(text="x", wait=20)), recorder)
    assert recorder.beats == 1


def test_it_answers_while_redis_is_down(tenant, settings):
    settings.LIVE_REDIS_URL = "redis://127.0.0.1:1/0"
    talk = make_talk(tenant, "hello")
    recorder, _ = attempt(claim(talk), ScriptedChatClient(Say(text="hi", wait=0.3)))
    assert recorder.answers[0].rows[0].text == "hi"


def test_a_refused_commit_is_passed_on(tenant):
    talk = make_talk(tenant, "hello")
    with pytest.raises(Fenced):
        attempt(claim(talk), ScriptedChatClient(Say(text="hi")), Recorder(refuse=Fenced()))


def test_a_deadline_during_the_commit_does_not_lose_it(tenant):
    talk = make_talk(tenant, "hello")
    recorder = Recorder()

    def slow(claimed, *, answer):
        time.sleep(0.6)
        recorder.commit(claimed, answer=answer)

    desk = Desk(commit=slow, heartbeat=recorder.heartbeat, publish=recorder.publish)
    client = ScriptedChatClient(Say(text="hi"))
    run_turn(claim(talk, seconds=0.3), calls=[], client=client.opened, desk=desk)
    assert len(recorder.answers) == 1


def test_a_tenant_without_an_agent_is_told_what_to_do(tenant):
    other = type(tenant).objects.create(slug="empty", name="Empty")
    talk = make_talk(other, "hello")
    with pytest.raises(TurnError) as caught:
        attempt(claim(talk), ScriptedChatClient(Say(text="hi")))
    assert (caught.value.code, caught.value.retryable) == ("not_configured", False)
