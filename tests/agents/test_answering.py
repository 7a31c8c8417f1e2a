"""A customer's line to the agent's answer: the real engine, the real search, the offline client."""

import pytest

from agents import tasks
from agents.models import ModelCall, ToolCall, Turn, TurnState
from agents.services.articles import create_article
from agents.services.endpoints import EndpointSettings, set_endpoint
from agents.services.queueing import TURN
from conversations.models import Event, Handler, Message
from conversations.services.control import hand_back, take_over
from conversations.services.messages import post_reply
from tenants.due import Work
from tenants.models import Tenant
from tenants.scoping import new_id, tenant_scope
from tests.support.desk import Desk
from tests.support.recorder import Recorder, completion

pytestmark = pytest.mark.django_db(transaction=True)

HOURS = "# Opening hours\n\nWe are open Monday to Friday from nine to five.\n"
RETURNS = "# Returns\n\nSend a parcel back within thirty days and we refund the price.\n"


@pytest.fixture
def tenant():
    return Tenant.objects.create(slug="northwind", name="Northwind Bikes")


@pytest.fixture
def desk(tenant):
    with tenant_scope(tenant.id):
        for title, body in (("Opening hours", HOURS), ("Returns", RETURNS)):
            create_article(title=title, body=body)
        set_endpoint(EndpointSettings(api="offline", model="offline"), trusted=True)
        return Desk.make()


def begin(desk, text):
    with tenant_scope(desk.tenant.id):
        return desk.start(text)


def say(desk, talk, text):
    with tenant_scope(desk.tenant.id):
        desk.say(talk, text)


def work_off(desk):
    """Runs what is queued, as the worker would."""
    while True:
        with tenant_scope(desk.tenant.id):
            turn = Turn.objects.filter(state=TurnState.QUEUED).first()
        if turn is None:
            return
        tasks.answer(Work(desk.tenant.id, TURN, turn.id))


def said(desk, talk):
    with tenant_scope(desk.tenant.id):
        rows = Message.objects.filter(conversation=talk).exclude(text="").order_by("seq")
        return [(row.role, row.text) for row in rows]


def handler(desk, talk):
    with tenant_scope(desk.tenant.id):
        talk.refresh_from_db()
        return talk.handler


def test_a_question_is_answered_with_its_source(desk):
    talk = begin(desk, "What are your opening hours?")
    work_off(desk)
    role, text = said(desk, talk)[-1]
    assert role == "agent"
    assert "Monday to Friday" in text
    assert "Opening hours" in text
    with tenant_scope(desk.tenant.id):
        answer = Message.objects.filter(role="agent").exclude(text="").get()
        assert [source["title"] for source in answer.sources or []] == ["Opening hours"]
        assert Turn.objects.get().state == TurnState.SUCCEEDED
        assert ToolCall.objects.get().state == "finished"
        calls = ModelCall.objects.all()
        assert [call.model for call in calls] == ["offline", "offline"]
        talk.refresh_from_db()
        assert talk.input_tokens == sum(call.input_tokens for call in calls) > 0


def test_what_nobody_knows_goes_to_the_team_with_words(desk):
    talk = begin(desk, "Do you sell submarines made of cheese?")
    work_off(desk)
    assert said(desk, talk)[-1][0] == "agent"
    assert handler(desk, talk) == Handler.TEAM


def test_a_hand_back_does_not_loop(desk):
    talk = begin(desk, "I want to talk to a person")
    work_off(desk)
    assert handler(desk, talk) == Handler.TEAM
    with tenant_scope(desk.tenant.id):
        post_reply(talk, by=desk.sam, client_key=new_id(), text="We ship on Monday.")
        hand_back(talk, by=desk.sam)
    say(desk, talk, "What are your opening hours?")
    work_off(desk)
    assert "nine to five" in said(desk, talk)[-1][1]
    assert handler(desk, talk) == Handler.AGENT
    say(desk, talk, "What did Sam say?")
    work_off(desk)
    assert "Monday" in said(desk, talk)[-1][1]
    with tenant_scope(desk.tenant.id):
        assert Event.objects.filter(kind=Event.Kind.PERSON_ASKED).count() == 1


def test_a_burst_is_answered_by_one_turn(desk):
    talk = begin(desk, "My parcel")
    say(desk, talk, "no, my returns")
    say(desk, talk, "How do I send it back?")
    work_off(desk)
    assert [role for role, _ in said(desk, talk)] == ["customer"] * 3 + ["agent"]


def test_the_next_turn_speaks_to_another_model_without_a_restart(desk):
    talk = begin(desk, "What are your opening hours?")
    work_off(desk)
    with Recorder(completion("From a model.")) as server:
        with tenant_scope(desk.tenant.id):
            url = f"{server.url}/v1"
            set_endpoint(EndpointSettings("chat_completions", "m", url), trusted=True)
        say(desk, talk, "And on Sunday?")
        work_off(desk)
        roles = [message["role"] for message in server.requests[0].body["messages"]]
    assert said(desk, talk)[-1] == ("agent", "From a model.")
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]


def test_a_takeover_before_the_claim_leaves_the_agent_silent(desk):
    talk = begin(desk, "What are your opening hours?")
    with tenant_scope(desk.tenant.id):
        take_over(talk, by=desk.sam)
    work_off(desk)
    assert [role for role, _ in said(desk, talk)] == ["customer"]
