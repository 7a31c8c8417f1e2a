"""Every protocol over real HTTP: what a second turn sends, what is read, what never leaks."""

import json

import pytest

from agents.models import Api, ModelEndpoint
from agents.runtime.runner import run_turn
from agents.services.contract import TurnError
from agents.services.endpoints import EndpointSettings, set_endpoint
from tenants.scoping import tenant_scope
from tests.support import recorder as wire
from tests.support.recorder import Recorder, Wire
from tests.support.talks import Recorder as Desk
from tests.support.talks import claim, ended, make_talk, make_tenant, post

pytestmark = pytest.mark.django_db(transaction=True)

QUERY = {"query": "hours"}
ARGUMENTS = json.dumps(QUERY)
ANSWERS = {
    Api.CHAT_COMPLETIONS: lambda text="", call=False: wire.completion(
        text, [("call_1", "search_knowledge", ARGUMENTS)] if call else None
    ),
    Api.RESPONSES: lambda text="", call=False: wire.response(
        text, ("call_1", "search_knowledge", ARGUMENTS) if call else None
    ),
    Api.MESSAGES: lambda text="", call=False: wire.anthropic_message(
        text, ("toolu_1", "search_knowledge", QUERY) if call else None
    ),
    Api.OLLAMA: lambda text="", call=False: wire.ollama(
        text, ("search_knowledge", QUERY) if call else None
    ),
}
LIVE = list(ANSWERS)


@pytest.fixture(autouse=True)
def operators_own_keys(monkeypatch):
    """What an operator may have lying about must never reach a tenant's endpoint."""
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "OLLAMA_API_KEY",
        "AZURE_OPENAI_API_KEY",
    ):
        monkeypatch.setenv(name, "operators-secret")
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OLLAMA_HOST", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")


def point_at(tenant, server, api, key=""):
    path = "/v1" if api in {Api.CHAT_COMPLETIONS, Api.RESPONSES} else ""
    settings = EndpointSettings(api=api, model="asked", base_url=server.url + path, key=key)
    with tenant_scope(tenant.id):
        set_endpoint(settings, trusted=True)


def attempt(talk):
    desk, calls, claimed = Desk(), [], claim(talk)
    run_turn(claimed, calls=calls, desk=desk.desk)
    ended(claimed)
    return desk.answers[0], calls


def two_turns(api, key=""):
    """A turn with a tool call, then another; the bodies of all requests."""
    answer = ANSWERS[api]
    tenant = make_tenant()
    talk = make_talk(tenant, "opening hours?")
    with Recorder(answer(call=True), answer("We open at nine."), answer("Yes.")) as server:
        point_at(tenant, server, api, key)
        attempt(talk)
        post(talk, "sure?")
        last, calls = attempt(talk)
        return server.requests, last, calls


@pytest.mark.parametrize("api", LIVE)
def test_two_turns_with_a_tool(api):
    requests, last, calls = two_turns(api)
    assert len(requests) == 3
    assert last.rows[-1].text == "Yes."
    (call,) = calls
    assert (call.api, call.model, call.outcome) == (api, "asked", "ok")
    assert (call.input_tokens, call.output_tokens) == (11, 5)


@pytest.mark.parametrize("api", LIVE)
def test_nothing_of_the_operators_environment_is_sent(api):
    requests, _, _ = two_turns(api)
    assert all("operators-secret" not in str(request) for request in requests)


@pytest.mark.parametrize("api", LIVE)
def test_the_tenants_own_key_is_sent(api):
    requests, _, _ = two_turns(api, key="sk-tenant")
    for request in requests:
        sent = request.headers.get("x-api-key") or request.headers["authorization"]
        assert "sk-tenant" in sent


def test_chat_completions_on_the_wire():
    requests, _, calls = two_turns(Api.CHAT_COMPLETIONS)
    body = requests[2].body
    assert requests[2].path == "/v1/chat/completions"
    assert [m["role"] for m in body["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
    asked = body["messages"][2]["tool_calls"][0]
    assert asked["id"] == body["messages"][3]["tool_call_id"] == "call_1"
    assert json.loads(asked["function"]["arguments"])["query"] == "hours"
    assert body["messages"][3]["content"].startswith("sufficient: no")
    assert body["messages"][4] == {"role": "assistant", "content": "We open at nine."}
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}
    assert body["max_tokens"] == 1024
    assert not {"store", "max_completion_tokens", "previous_response_id"} & body.keys()
    assert {tool["function"]["name"] for tool in body["tools"]} == {
        "search_knowledge",
        "ask_for_person",
    }
    assert (calls[0].cached_tokens, calls[0].reasoning_tokens) == (4, 2)


def test_responses_on_the_wire():
    requests, _, _ = two_turns(Api.RESPONSES)
    body = requests[2].body
    assert requests[2].path == "/v1/responses"
    assert body["store"] is False
    assert "previous_response_id" not in body
    assert "conversation" not in body
    kinds = [item.get("type", "message") for item in body["input"]]
    at = kinds.index("function_call")
    assert kinds[at + 1] == "function_call_output"
    assert body["input"][at]["call_id"] == body["input"][at + 1]["call_id"] == "call_1"


def test_a_provider_that_keeps_state_is_refused():
    tenant = make_tenant()
    with Recorder(wire.response("Hello.")) as server:
        point_at(tenant, server, Api.RESPONSES)
        with tenant_scope(tenant.id):
            ModelEndpoint.objects.update(options={"store": True})
        with pytest.raises(TurnError) as caught:
            attempt(make_talk(tenant, "hello"))
    assert (caught.value.code, caught.value.retryable) == ("provider_keeps_state", False)


def test_messages_on_the_wire():
    requests, _, _ = two_turns(Api.MESSAGES)
    body = requests[2].body
    assert requests[2].path.startswith("/v1/messages")
    assert body["max_tokens"] == 1024
    assert "rules" in str(body["system"])
    assert "store" not in body
    assert [m["role"] for m in body["messages"]] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert body["messages"][1]["content"][-1]["id"] == "toolu_1"
    assert body["messages"][2]["content"][0]["tool_use_id"] == "toolu_1"


def test_ollama_on_the_wire():
    requests, _, _ = two_turns(Api.OLLAMA)
    body = requests[2].body
    assert requests[2].path == "/api/chat"
    assert [m["role"] for m in body["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]


def test_a_model_without_tools_is_offered_none():
    tenant = make_tenant(tools=())
    for api in LIVE:
        with Recorder(ANSWERS[api]("Hello.")) as server:
            point_at(tenant, server, api)
            attempt(make_talk(tenant, "hello"))
            assert not {"tools", "tool_choice"} & {
                key for key, value in server.requests[0].body.items() if value
            }


def test_a_tenant_may_change_its_model_in_mid_conversation():
    tenant = make_tenant()
    talk = make_talk(tenant, "opening hours?")
    for number, api in enumerate([*LIVE, Api.CHAT_COMPLETIONS]):
        answer = ANSWERS[api]
        with Recorder(answer(call=True), answer(f"Answer {number}.")) as server:
            point_at(tenant, server, api)
            last, _ = attempt(talk)
        assert last.rows[-1].text == f"Answer {number}."
        post(talk, "and now?")


@pytest.mark.parametrize("api", LIVE)
@pytest.mark.parametrize(
    ("status", "code", "retryable"),
    [
        (401, "provider_auth", False),
        (403, "provider_auth", False),
        (404, "provider_rejected", False),
        (429, "provider_rate_limited", True),
        (500, "provider_unavailable", True),
        (503, "provider_unavailable", True),
    ],
)
def test_refusals_over_http(api, status, code, retryable):
    tenant = make_tenant()
    refusal = Wire({"error": {"message": "no"}}, status=status, headers={"retry-after": "9"})
    with Recorder(refusal) as server:
        point_at(tenant, server, api, key="sk-tenant")
        with pytest.raises(TurnError) as caught:
            attempt(make_talk(tenant, "hello"))
        # The SDK retries nothing itself.
        assert len(server.requests) == 1
    error = caught.value
    assert (error.code, error.retryable, error.provider_status) == (code, retryable, status)
    if retryable and api != Api.OLLAMA:
        assert error.retry_after == 9


@pytest.mark.parametrize("api", LIVE)
def test_a_connection_cut_in_the_answer_is_retryable(api):
    tenant = make_tenant()
    answer = ANSWERS[api]("We open at nine.")
    answer.cut_after = 1 if api == Api.OLLAMA else 2
    with Recorder(answer) as server:
        point_at(tenant, server, api)
        with pytest.raises(TurnError) as caught:
            attempt(make_talk(tenant, "hello"))
    assert caught.value.retryable
    assert caught.value.code in {"connection", "cut_stream"}


@pytest.mark.parametrize("api", LIVE)
def test_nobody_listens_at_the_address(api):
    tenant = make_tenant()
    with Recorder() as server:
        pass
    point_at(tenant, server, api)
    with pytest.raises(TurnError) as caught:
        attempt(make_talk(tenant, "hello"))
    assert (caught.value.code, caught.value.retryable) == ("connection", True)


def test_a_redirect_is_not_followed():
    tenant = make_tenant()
    with Recorder(wire.completion("caught")) as other:
        moved = Wire({}, status=307, headers={"location": f"{other.url}/v1/chat/completions"})
        with Recorder(moved) as server:
            point_at(tenant, server, Api.CHAT_COMPLETIONS, key="sk-tenant")
            with pytest.raises(TurnError):
                attempt(make_talk(tenant, "hello"))
        assert other.requests == []
