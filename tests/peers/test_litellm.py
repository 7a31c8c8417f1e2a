"""Three protocols, spoken to LiteLLM's proxy: streams, tools, usage, and the next turn."""

import secrets
import shutil

import pytest

from agents.models import Api
from agents.runtime.runner import run_turn
from agents.services.articles import create_article
from agents.services.endpoints import EndpointSettings, set_endpoint
from agents.services.usage import MeteredCall
from tenants.scoping import tenant_scope
from tests.peers.environment import HERE, environment, free_port, serving
from tests.support.talks import Recorder, claim, ended, make_talk, make_tenant, post

pytestmark = [
    pytest.mark.peer,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(900),
]

REQUIREMENTS = ["litellm[proxy]==1.108.7"]
PROTOCOLS = [Api.CHAT_COMPLETIONS, Api.RESPONSES, Api.MESSAGES]


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    """Its address and its key."""
    python, port = environment("litellm", REQUIREMENTS), free_port()
    folder, key = tmp_path_factory.mktemp("litellm"), f"sk-{secrets.token_hex(20)}"
    for name in ("litellm.yaml", "litellm_answers.py"):
        shutil.copy(HERE / name, folder)
    argv = [python.with_name("litellm"), "--config", folder / "litellm.yaml"]
    argv += ["--host", "127.0.0.1", "--port", port]
    # It would else fetch a table of prices.
    env = {"LITELLM_MASTER_KEY": key, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    url = f"http://127.0.0.1:{port}"
    # Three hundred: it loads for more than a minute on a machine that has other work.
    with serving("litellm", argv, env=env, ready=f"{url}/health/liveliness", seconds=300):
        yield url, key


def turn(talk):
    claimed, calls, desk = claim(talk, seconds=120), list[MeteredCall](), Recorder()
    run_turn(claimed, calls=calls, desk=desk.desk)
    ended(claimed)
    return desk, calls


@pytest.mark.parametrize("api", PROTOCOLS, ids=str)
def test_a_turn_with_a_tool_and_the_next_one(proxy, api):
    url, key = proxy
    tenant = make_tenant(f"peer-{api.replace('_', '-')}")
    base = url if api == Api.MESSAGES else f"{url}/v1"
    with tenant_scope(tenant.id):
        create_article(title="Opening hours", body="# Opening hours\n\nMonday to Friday.\n")
        settings = EndpointSettings(api=api, model="scripted", base_url=base, key=key)
        set_endpoint(settings, trusted=True)
    talk = make_talk(tenant, "What are your opening hours?")

    desk, calls = turn(talk)
    said = desk.answers[0].rows[-1].text
    assert "Monday to Friday" in said
    # Its beginning was shown before the whole was there.
    assert said.startswith(desk.deltas[0]["text"].strip())
    assert len(desk.deltas[0]["text"]) < len(said)
    assert [(call.input_tokens, call.output_tokens) for call in calls] == [(11, 7), (11, 7)]
    assert [call.outcome for call in calls] == ["ok", "ok"]

    post(talk, "And on Saturday?")
    desk, calls = turn(talk)
    assert "Monday to Friday" in desk.answers[0].rows[-1].text
    assert len(calls) == 2
