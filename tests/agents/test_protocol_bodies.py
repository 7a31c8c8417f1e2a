"""What a later turn sends in each protocol: images, approvals, sealed reasoning, and no more."""

import pytest

from agents import tasks
from agents.models import Api, Turn
from agents.runtime.runner import run_turn
from agents.services.endpoints import EndpointSettings, set_endpoint
from agents.services.queueing import TURN
from conversations.models import Message
from conversations.transcript import NewRow, append
from tenants.due import Work
from tenants.scoping import tenant_scope
from tests.support import recorder as wire
from tests.support.protocols import as_protocol_wants, base_url, loose_ends, play, read
from tests.support.recorder import Recorder
from tests.support.scripted import Say
from tests.support.shop import Shop, refund
from tests.support.talks import Recorder as Desk
from tests.support.talks import claim, ended, make_talk, make_tenant, post

pytestmark = pytest.mark.django_db(transaction=True)

LIVE = [Api.CHAT_COMPLETIONS, Api.RESPONSES, Api.MESSAGES, Api.OLLAMA]
DOT = (
    "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SEARCH = ("call_1", "search_knowledge", {"query": "hours"})


def point_at(tenant, server, api, model="asked"):
    settings = EndpointSettings(api=api, model=model, base_url=base_url(api, server))
    with tenant_scope(tenant.id):
        set_endpoint(settings, trusted=True)


def answer(talk):
    claimed = claim(talk)
    run_turn(claimed, calls=[], desk=Desk().desk)
    ended(claimed)


@pytest.mark.parametrize("api", LIVE)
def test_an_image_in_the_talk_is_shown_to_the_model_again(api):
    tenant = make_tenant()
    talk = make_talk(tenant, "hello")
    picture = {"type": "data", "uri": DOT, "media_type": "image/png"}
    row = NewRow(
        role="customer", text="It looks like this.", parts=[picture], customer_id=talk.customer_id
    )
    with tenant_scope(tenant.id):
        append(talk.id, [row], by="customer")
    with Recorder(play(api, "", SEARCH), play(api, "I see."), play(api, "Yes.")) as server:
        point_at(tenant, server, api)
        answer(talk)
        post(talk, "Is it broken?")
        answer(talk)
    seen = read(api, server.requests[2].body)
    (shown,) = [said for said in seen if said.images]
    assert (shown.role, shown.images) == ("user", 1)
    assert any("It looks like this." in said.text for said in seen if said.role == "user")
    assert loose_ends(seen) == []
    assert DOT.partition(",")[2] in str(server.requests[2].body)


@pytest.mark.parametrize("api", LIVE)
@pytest.mark.parametrize("approved", [True, False], ids=["approved", "rejected"])
def test_after_a_decision_the_call_and_its_result_stand_together(api, approved):
    shop = Shop.make()
    shop.say("My lamp came broken, please refund it.")
    shop.work_off(Say(text="I will see to it.", calls=[refund()]))
    (approval,) = shop.asked()
    shop.decide(approval, approved=approved)
    with Recorder(play(api, "That is settled."), play(api, "You are welcome.")) as server:
        point_at(shop.tenant, server, api)
        work_off(shop)
        shop.say("Thank you!")
        work_off(shop)
    assert bool(shop.refunds()) is approved
    assert len(server.requests) == 2
    for request in server.requests:
        seen = read(api, request.body)
        assert loose_ends(seen) == []
        assert as_protocol_wants(api, request.body)
        assert sum(len(said.calls) for said in seen) == 1
        assert "function_approval" not in str(request.body)
    assert [said.text for said in read(api, server.requests[1].body)][-2:] == [
        "That is settled.",
        "Thank you!",
    ]


def work_off(shop):
    while (turn_id := shop.queued()) is not None:
        tasks.answer(Work(shop.tenant.id, TURN, turn_id))


# --- what is special to Responses and to Messages -------------------------------------------------


def reasoned(text, sealed="SEALED-1"):
    """A Responses answer that thought first and gives its thoughts sealed."""
    answer = wire.response(text)
    thought = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [],
        "status": "completed",
        "encrypted_content": sealed,
    }
    events = answer.events or []
    whole = events[-1]["response"]
    whole["output"] = [thought, *whole["output"]]
    for event in events[1:-1]:
        event["output_index"] = 1
    added = {"type": "response.output_item.added", "output_index": 0, "item": thought}
    events[1:1] = [added, {**added, "type": "response.output_item.done"}]
    for number, event in enumerate(events):
        event["sequence_number"] = number
    return answer


def thoughts(body):
    return [said.text for said in read(Api.RESPONSES, body) if said.role == "reasoning"]


def test_responses_gets_its_sealed_reasoning_back_and_keeps_nothing():
    tenant = make_tenant()
    talk = make_talk(tenant, "hello")
    with Recorder(reasoned("Hello."), reasoned("Yes.", "SEALED-2")) as server:
        point_at(tenant, server, Api.RESPONSES)
        answer(talk)
        post(talk, "sure?")
        answer(talk)
    for request in server.requests:
        assert request.body["store"] is False
        assert "previous_response_id" not in request.body
        assert "conversation" not in request.body
        assert "reasoning.encrypted_content" in request.body["include"]
    assert thoughts(server.requests[1].body) == ["SEALED-1"]
    with tenant_scope(tenant.id):
        kept = str(list(Message.objects.values_list("parts", flat=True)))
        assert "resp_1" not in kept
        assert not Turn.objects.exclude(session_state=None).exists()


@pytest.mark.parametrize("api", LIVE)
def test_another_model_never_sees_that_reasoning(api):
    tenant = make_tenant()
    talk = make_talk(tenant, "hello")
    with Recorder(reasoned("Hello."), play(api, "Yes.")) as server:
        point_at(tenant, server, Api.RESPONSES)
        answer(talk)
        point_at(tenant, server, api, model="another")
        post(talk, "sure?")
        answer(talk)
    assert "SEALED" not in str(server.requests[1].body)
    assert [said.text for said in read(api, server.requests[1].body)] == [
        "hello",
        "Hello.",
        "sure?",
    ]


def test_messages_always_names_a_limit_and_chooses_no_tool_where_there_is_none():
    tenant = make_tenant(tools=())
    with Recorder(play(Api.MESSAGES, "Hello.")) as server:
        point_at(tenant, server, Api.MESSAGES)
        answer(make_talk(tenant, "hello"))
    body = server.requests[0].body
    assert body["max_tokens"] == 1024
    assert not body.get("tools")
    assert "tool_choice" not in body
