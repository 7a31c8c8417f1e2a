"""What a test of an endpoint finds, and in which words."""

import asyncio
import json
import socket
import ssl
import threading
from collections.abc import Callable
from typing import Any

import pytest

from agents.models import Api
from agents.runtime.clients import ClientSpec
from agents.runtime.probe import probe
from tests.support import recorder as wire
from tests.support.recorder import Recorder, Wire
from tests.support.tls import certificate

ANSWERS: dict[str, Callable[..., Any]] = {
    Api.CHAT_COMPLETIONS: wire.completion,
    Api.RESPONSES: wire.response,
    Api.MESSAGES: wire.anthropic_message,
    Api.OLLAMA: wire.ollama,
}
LIVE = list(ANSWERS)
V1 = {Api.CHAT_COMPLETIONS, Api.RESPONSES}


def spec(api, url, **more):
    options = {"trusted": True, "api_key": "sk-hush", "model": "asked", **more}
    return ClientSpec(api=api, base_url=url + ("/v1" if api in V1 else ""), **options)


def examined(api, *answers, **more):
    with Recorder(*answers) as server:
        return probe(spec(api, server.url, **more)), server.requests


@pytest.mark.parametrize("api", LIVE)
def test_one_that_works(api):
    found, requests = examined(api, ANSWERS[api]("Ready."))
    assert (found.works, found.code) == (True, "works")
    assert f"{found.milliseconds} ms" in found.text
    assert len(requests) == 1
    body = requests[0].body
    assert not body.get("tools")
    assert "16" in json.dumps(body)


def test_the_offline_client_always_works():
    assert probe(ClientSpec(api=Api.OFFLINE, model="offline")).works


@pytest.mark.parametrize("api", LIVE)
@pytest.mark.parametrize(
    ("status", "message", "code"),
    [
        (401, "bad key", "provider_auth"),
        (404, "The model asked does not exist", "model_unknown"),
        (404, "Not Found", "path_unknown"),
        (429, "slow down", "provider_rate_limited"),
        (500, "oops", "provider_unavailable"),
        (400, "unknown field", "provider_rejected"),
    ],
)
def test_a_refusal_says_what_to_do(api, status, message, code):
    body = {"error": message} if api == Api.OLLAMA else {"error": {"message": message}}
    found, _ = examined(api, Wire(body, status=status))
    assert (found.works, found.code) == (False, code)
    assert found.text
    assert message in found.detail


@pytest.mark.parametrize("api", LIVE)
def test_the_key_is_not_in_what_people_read(api):
    body = {"error": {"message": "wrong key sk-hush"}}
    found, _ = examined(api, Wire(body, status=401))
    assert "sk-hush" not in repr(found)


@pytest.mark.parametrize("api", LIVE)
def test_something_that_speaks_another_language(api):
    found, _ = examined(api, Wire({"hello": "world"}))
    assert found.code == "not_this_protocol"


@pytest.mark.parametrize("api", LIVE)
def test_nobody_listens(api):
    with Recorder() as server:
        pass
    assert probe(spec(api, server.url)).code == "connection"


@pytest.mark.parametrize("api", LIVE)
def test_a_name_that_nobody_knows(api):
    assert probe(spec(api, "http://nowhere.invalid")).code == "dns"


@pytest.mark.parametrize("api", LIVE)
def test_a_server_that_says_nothing(api):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert probe(spec(api, url, timeout_seconds=0.3)).code == "timeout"


@pytest.mark.parametrize("api", LIVE)
def test_a_certificate_of_somebody_else(api, tmp_path):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(tmp_path, "other.example"))
    with Quiet(context) as port:
        assert probe(spec(api, f"https://127.0.0.1:{port}")).code == "tls"


@pytest.mark.parametrize("api", LIVE)
@pytest.mark.parametrize("url", ["http://models.example", "https://127.0.0.1", "https://10.1.2.3"])
def test_a_tenant_cannot_reach_the_operators_network(api, url):
    found = probe(spec(api, url, trusted=False))
    assert found.code == "address_refused"


class Quiet:
    """A TLS server in a thread that answers nothing."""

    def __init__(self, context):
        self.context = context

    def __enter__(self):
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        start = asyncio.start_server(lambda *_: None, "127.0.0.1", 0, ssl=self.context)
        self.server = asyncio.run_coroutine_threadsafe(start, self.loop).result()
        return self.server.sockets[0].getsockname()[1]

    def __exit__(self, *error):
        self.loop.call_soon_threadsafe(self.server.close)
        self.loop.call_soon_threadsafe(self.loop.stop)
