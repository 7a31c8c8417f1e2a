"""The title of a conversation: one call without history, booked, never over a member's own."""

import pytest

from agents.models import ModelCall
from agents.runtime.insights import TITLE_LENGTH, shortened, title
from agents.runtime.oneshot import ask
from agents.services.contract import TurnError
from agents.services.endpoints import EndpointSettings, set_endpoint
from conversations.models import Author, Conversation
from tenants.scoping import tenant_scope
from tests.support import recorder as wire
from tests.support.recorder import Recorder
from tests.support.scripted import Say, ScriptedChatClient
from tests.support.talks import make_talk, make_tenant

pytestmark = pytest.mark.django_db(transaction=True)


def use(tenant, api, url=""):
    with tenant_scope(tenant.id):
        set_endpoint(EndpointSettings(api=api, model="m", base_url=url), trusted=True)


def title_of(talk, *script):
    client = ScriptedChatClient(*script)
    try:
        ask(title, talk.id, tenant_id=talk.tenant_id, client=client.opened)
    finally:
        with tenant_scope(talk.tenant_id):
            talk.refresh_from_db()
    return talk.title, client


def test_offline_takes_the_first_real_line_without_any_call():
    talk = make_talk(make_tenant(), "hi", "Where is my order 1001? It should have come on Monday.")
    title, client = title_of(talk, Say(text="never asked"))
    assert title == "Where is my order 1001? It should have come on Monday."
    assert client.requests == []


def test_a_model_is_asked_once_without_history_and_the_call_is_booked():
    tenant = make_tenant()
    use(tenant, "chat_completions")
    talk = make_talk(tenant, "hello", "Where is order 1001?")
    title, client = title_of(talk, Say(text='"Order 1001 is late"\n'))
    assert title == "Order 1001 is late"
    (request,) = client.requests
    assert request.messages[-1].text == "Where is order 1001?"
    with tenant_scope(tenant.id):
        call = ModelCall.objects.get()
    assert (call.purpose, call.conversation_id, call.input_tokens) == ("title", talk.id, 100)


def test_a_members_title_is_left_alone():
    talk = make_talk(make_tenant(), "Where is order 1001?")
    with tenant_scope(talk.tenant_id):
        Conversation.objects.update(title="Ours", title_by=Author.MEMBER)
    assert title_of(talk, Say(text="x"))[0] == "Ours"


def test_a_failed_call_is_booked_and_named():
    tenant = make_tenant()
    use(tenant, "chat_completions")
    talk = make_talk(tenant, "Where is order 1001?")
    with pytest.raises(TurnError):
        title_of(talk, Say(fail=OSError("cut")))
    with tenant_scope(tenant.id):
        assert ModelCall.objects.get().outcome == "error"


def test_a_talk_of_courtesies_gets_no_title():
    assert title_of(make_talk(make_tenant(), "hi", "thanks"), Say(text="x"))[0] == ""


def test_structured_where_the_protocol_has_it():
    tenant = make_tenant()
    talk = make_talk(tenant, "Where is order 1001?")
    with Recorder(wire.response_body('{"title": "Order 1001"}')) as server:
        use(tenant, "responses", f"{server.url}/v1")
        ask(title, talk.id, tenant_id=tenant.id)
        assert server.requests[0].body["text"]["format"]["type"] == "json_schema"
    with tenant_scope(tenant.id):
        talk.refresh_from_db()
    assert talk.title == "Order 1001"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("", ""),
        ("  \n\n", ""),
        ("**Late order**", "Late order"),
        ("“Late”", "Late"),
        ("x" * 100, "x" * (TITLE_LENGTH - 1) + "…"),
        ("word " * 30, "word " * 10 + "word…"),
        ("a\x00b", "a\ufffdb"),
    ],
)
def test_titles_are_one_short_line(text, title):
    assert shortened(text) == title
    assert len(shortened(text)) <= TITLE_LENGTH
