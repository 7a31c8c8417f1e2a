"""What providers do wrong: the turn's end, what members read, and the one line for customers."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from agents import tasks
from agents.models import Api, ModelEndpoint, Turn, TurnState
from agents.services.endpoints import EndpointSettings, set_endpoint
from agents.services.queueing import TURN
from conversations.lines import line_for
from conversations.models import Handler
from conversations.selectors.lines import lines
from tenants.due import Work
from tests.support import recorder as wire
from tests.support.console import start, text_of
from tests.support.protocols import base_url, play
from tests.support.recorder import Recorder, Wire

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = "Widgetron quota xyzzy"
LIVE = [Api.CHAT_COMPLETIONS, Api.RESPONSES, Api.MESSAGES, Api.OLLAMA]
GOOD = "We open at nine."


@dataclass
class Seen:
    """A turn after all its attempts, and what people see of it."""

    state: str
    code: str
    status: int | None
    attempts: int
    members: str
    customer: list[str]
    handler: str


@pytest.fixture
def desk(cast, browser_of):
    """Plays answers to a customer's line until the turn has ended."""

    def run(api, *answers, timeout=None):
        with Recorder(*answers) as server:
            with cast.acme.scope():
                url = base_url(api, server)
                settings = EndpointSettings(api, "asked", url, "sk-hush")
                set_endpoint(settings, trusted=True)
                if timeout:
                    ModelEndpoint.objects.update(timeout_seconds=timeout)
                talk = start(cast.carol, "When do you open?")
            return finished(cast, browser_of, talk)

    return run


def finished(cast, browser_of, talk):
    while True:
        with cast.acme.scope():
            turn = Turn.objects.latest("created_at")
        if turn.state != TurnState.QUEUED:
            break
        tasks.answer(Work(cast.acme.tenant.id, TURN, turn.id))
    members = text_of(browser_of("alice").get("agents:turns", talk.id))
    with cast.acme.scope():
        talk.refresh_from_db()
        said = [shown(line) for line in lines(talk.id, private=False)]
    return Seen(
        turn.state,
        turn.error_code,
        turn.provider_status,
        turn.attempt,
        members,
        [text for text in said if text],
        talk.handler,
    )


def shown(line: Any) -> str:
    """The words of a line as a customer reads them."""
    return getattr(line, "text", "") or line_for(getattr(line, "kind", ""), "en", name="Sam")


def error(status, **headers):
    body = {"error": {"message": WORDS, "type": "x"}}
    return Wire(body, status=status, headers={k.replace("_", "-"): v for k, v in headers.items()})


def cut(api):
    answer = play(api, GOOD)
    answer.cut_after = 1 if api == Api.OLLAMA else 2
    return answer


FINAL = [
    ("401", lambda api: error(401), "provider_auth", 401, 1),
    ("402", lambda api: error(402), "provider_quota", 402, 1),
    ("429", lambda api: error(429, retry_after="1"), "provider_rate_limited", 429, 3),
    ("500", lambda api: error(500), "provider_unavailable", 500, 3),
    ("cut", cut, {"cut_stream", "connection"}, None, 3),
    ("empty", lambda api: play(api, ""), "empty_answer", None, 3),
    ("1 MB", lambda api: play(api, "ja " * 350_000), "answer_too_long", None, 1),
]


@pytest.mark.parametrize("api", LIVE)
@pytest.mark.parametrize(
    ("make", "code", "status", "attempts"),
    [row[1:] for row in FINAL],
    ids=[row[0] for row in FINAL],
)
def test_a_fault_that_stays(desk, api, make, code, status, attempts):
    seen = desk(api, make(api))
    assert seen.state == TurnState.FAILED
    assert seen.code in ({code} if isinstance(code, str) else code)
    assert (seen.status, seen.attempts) == (status, attempts)
    assert seen.handler == Handler.TEAM
    assert seen.code in seen.members
    if status:
        assert WORDS in seen.members
    assert "sk-hush" not in seen.members
    told = " ".join(seen.customer)
    assert "We could not answer just now" in told
    assert not any(word in told for word in (WORDS, "ja ja", seen.code, GOOD[:9]))


@pytest.mark.parametrize("api", LIVE)
def test_a_fault_that_passes(desk, api):
    seen = desk(api, error(429), error(503), play(api, GOOD))
    assert (seen.state, seen.attempts) == (TurnState.SUCCEEDED, 3)
    assert seen.customer[-1] == GOOD
    assert WORDS not in " ".join(seen.customer)


@pytest.mark.parametrize("api", LIVE)
def test_silence_ends_at_the_time_limit(desk, api, settings):
    settings.TURN_MAX_ATTEMPTS = 1
    seen = desk(api, Wire({}, wait=3), timeout=1)
    assert (seen.state, seen.code) == (TurnState.FAILED, "timeout")
    assert "We could not answer just now" in " ".join(seen.customer)


def chat_stream(delta, finish):
    base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "served"}
    chunks = [
        {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
    ]
    return Wire(events=[*chunks, "[DONE]"])


def refused_by_anthropic():
    answer = wire.anthropic_message(WORDS)
    (answer.events or [])[-2]["delta"]["stop_reason"] = "refusal"
    return answer


def refused_by_responses():
    answer = wire.response(WORDS)
    events = answer.events or []
    for event in events:
        if event["type"] == "response.output_text.delta":
            event["type"] = "response.refusal.delta"
    item = {"type": "refusal", "refusal": WORDS}
    events[-1]["response"]["output"][0]["content"] = [item]
    return answer


REFUSALS = {
    "filter, chat": (
        Api.CHAT_COMPLETIONS,
        lambda: chat_stream({"content": WORDS}, "content_filter"),
    ),
    "refusal, chat": (Api.CHAT_COMPLETIONS, lambda: chat_stream({"refusal": WORDS}, "stop")),
    "refusal, responses": (Api.RESPONSES, refused_by_responses),
    "refusal, messages": (Api.MESSAGES, refused_by_anthropic),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_is_the_providers_word_and_no_answer(desk, name):
    api, make = REFUSALS[name]
    seen = desk(api, make())
    assert (seen.state, seen.code, seen.attempts) == (TurnState.FAILED, "content_filter", 1)
    assert WORDS not in " ".join(seen.customer)
    assert "We could not answer just now" in " ".join(seen.customer)


@pytest.mark.parametrize("arguments", ['{"query": "hou', "", "[]", '"x"', '{"other": 1}', "null"])
def test_a_call_with_damaged_arguments_is_told_to_the_model(desk, arguments):
    damaged = wire.completion("", [("call_1", "search_knowledge", arguments)])
    seen = desk(Api.CHAT_COMPLETIONS, damaged, wire.completion(GOOD))
    assert seen.state == TurnState.SUCCEEDED
    assert seen.customer[-1] == GOOD


def test_what_is_no_json_at_all_is_a_fault(desk):
    seen = desk(Api.CHAT_COMPLETIONS, Wire(events=["{damaged", json.dumps(WORDS)]))
    assert seen.state == TurnState.FAILED
    assert WORDS not in " ".join(seen.customer)
