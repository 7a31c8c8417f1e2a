"""The agent tried out: it answers as it would, and leaves nothing behind."""

from datetime import UTC, datetime
from typing import Annotated

import pytest
from django.apps import apps
from pydantic import BaseModel, Field

from agents.models import BudgetHold, ModelCall
from agents.runtime import playground
from agents.runtime.tools import decorator
from agents.runtime.tools.decorator import desk_tool
from agents.services.articles import create_article
from agents.services.budgets import set_budget
from agents.services.endpoints import EndpointSettings, set_endpoint
from agents.services.profiles import ProfileSettings, publish_profile, save_draft
from tenants.scoping import TenantScopedModel
from tests.support import recorder as wire
from tests.support.console import text_of
from tests.support.recorder import Recorder, Wire
from tests.support.scripted import Say, ScriptedChatClient

pytestmark = pytest.mark.django_db(transaction=True)

HOURS = "# Opening hours\n\nWe are open Monday to Friday from nine to five.\n"
DONE: list[str] = []


class Amount(BaseModel):
    amount: Annotated[str, Field(description="How much.")]


@pytest.fixture
def pay():
    """A tool that changes the world, and one that must be approved."""

    def pay_out(context, arguments):
        DONE.append(arguments.amount)
        return "paid"

    def pay_much(context, arguments):
        DONE.append(arguments.amount)
        return "paid much"

    desk_tool(description="Pays.", arguments=Amount)(pay_out)
    desk_tool(description="Pays.", arguments=Amount, approval="always_require")(pay_much)
    yield
    for name in ("pay_out", "pay_much"):
        del decorator._TOOLS[name]
    DONE.clear()


@pytest.fixture
def first(cast):
    with cast.acme.scope():
        create_article(title="Opening hours", body=HOURS)
        return set_endpoint(EndpointSettings("offline", "offline"), trusted=True)


def rows(cast):
    """Every row of the tenant, by table, without the model calls."""
    with cast.acme.scope():
        scoped = [m for m in apps.get_models() if issubclass(m, TenantScopedModel)]
        scoped.remove(ModelCall)
        return {m.__name__: m.objects.count() for m in scoped}


def facts(cast, version=None, **more):
    return playground.facts_for_trial(
        cast.acme.alice.member, version, **{"verified": False, **more}
    )


def ask(cast, client, question="hello", session=None, **more):
    member = cast.acme.alice.member
    known = facts(cast, **more)
    return playground.ask(member, known, question, session=session, client=client.opened)


def test_the_page_answers_from_the_knowledge_and_writes_no_other_row(browser_of, cast, first):
    alice = browser_of("alice")
    alice.get("agents:playground")
    before = rows(cast)
    page = text_of(alice.post("agents:playground", text="What are your opening hours?"))
    assert "<p>We are open Monday to Friday" in page
    assert "search_knowledge" in page
    assert "Found in:" in page
    assert "2 model calls" in page
    assert rows(cast) == before
    with cast.acme.scope():
        booked = ModelCall.objects.values_list("purpose", "conversation_id", "turn_id")
        assert list(booked) == [("playground", None, None)] * 2
    usage = text_of(alice.get("agents:usage"))
    assert "Playground" in usage
    assert "Outside conversations" in usage


def test_a_trial_asks_nothing_more_once_the_budget_is_used_up(cast, first):
    with cast.acme.scope():
        set_budget(by=cast.acme.alice.member, day_tokens=100)
    client = ScriptedChatClient(Say(text="Hello."))
    assert ask(cast, client).problem == ""
    trial = ask(cast, client)
    assert trial.problem.startswith("budget_day")
    assert len(client.requests) == 1
    with cast.acme.scope():
        assert not BudgetHold.objects.exists()


def test_a_trial_that_fails_is_booked_too(cast, first):
    trial = ask(cast, ScriptedChatClient(Say(fail=TimeoutError())))
    assert trial.problem.startswith("timeout")
    with cast.acme.scope():
        assert list(ModelCall.objects.values_list("purpose", "outcome")) == [
            ("playground", "error")
        ]


def test_the_talk_goes_on_from_the_page_itself(browser_of, cast, first):
    with Recorder(wire.completion("Hello Ada."), wire.completion("Ada.")) as server:
        with cast.acme.scope():
            url = f"{server.url}/v1"
            set_endpoint(EndpointSettings("chat_completions", "m", url), trusted=True)
        alice = browser_of("alice")
        answer = alice.post("agents:playground", text="I am Ada")
        talk = answer.context["talk"]
        page = text_of(alice.post("agents:playground", text="Who am I?", talk=talk))
        said = [m["content"] for m in server.requests[1].body["messages"] if m["role"] != "system"]
    assert said == ["I am Ada", "Hello Ada.", "Who am I?"]
    assert page.index("Hello Ada.") < page.index("Who am I?")


def test_a_talk_of_somebody_else_or_changed_on_the_way_is_not_taken(browser_of, cast, first):
    answer = browser_of("alice").post("agents:playground", text="Are you open?")
    talk = answer.context["talk"]
    for someone, given in (("olga", talk), ("alice", talk[:-2] + "xx")):
        page = browser_of(someone).post("agents:playground", text="And now?", talk=given)
        assert len(page.context["rounds"]) == 1


def test_a_draft_and_every_version_can_be_tried(cast, first):
    with cast.acme.scope():
        draft = ProfileSettings(instructions="Be a pirate.")
        save_draft(draft, endpoint=first.endpoint, by=cast.acme.alice.member)
        publish_profile(endpoint=first.endpoint, settings=ProfileSettings("Be a sailor."))
    assert facts(cast).instructions == "Be a pirate."
    assert facts(cast, version=first.id).instructions == ""


@pytest.mark.parametrize("name", ["pay_out", "pay_much"])
def test_a_tool_that_writes_only_says_what_it_would_do(cast, first, pay, name):
    with cast.acme.scope():
        publish_profile(endpoint=first.endpoint, settings=ProfileSettings(tools=(name,)))
    client = ScriptedChatClient(Say(calls=[(name, {"amount": "20"})]), Say(text="Done."))
    before = rows(cast)
    trial = ask(cast, client)
    assert (trial.text, trial.problem) == ("Done.", "")
    (step,) = trial.steps
    assert (step.outcome, step.arguments) == ("would", {"amount": "20"})
    assert "would have been called" in step.result
    assert ("approved" in step.result) is (name == "pay_much")
    assert DONE == []
    assert rows(cast) == before


def test_a_person_asked_for_is_shown_and_nobody_is_called(cast, first):
    call = ("ask_for_person", {"reason": "They are angry."})
    trial = ask(cast, ScriptedChatClient(Say(calls=[call]), Say(text="A person will come.")))
    assert trial.asks_for_person == "They are angry."


def test_the_same_line_twice_is_said_twice(cast, first):
    client, session = ScriptedChatClient(Say(text="ok")), None
    for _ in range(3):
        session = ask(cast, client, "yes", session).session
    assert [m.text for m in client.requests[2].messages] == ["yes", "ok", "yes", "ok", "yes"]


def test_what_the_provider_said_is_shown_without_the_key(browser_of, cast, first):
    refusal = Wire({"error": {"message": "no such key sk-hush"}}, status=401)
    with Recorder(refusal) as server:
        with cast.acme.scope():
            url = f"{server.url}/v1"
            set_endpoint(EndpointSettings("chat_completions", "m", url, "sk-hush"), trusted=True)
        page = text_of(browser_of("alice").post("agents:playground", text="Hello?"))
    assert "provider_auth" in page
    assert "sk-hush" not in page


def test_without_a_model_the_page_says_what_to_do(browser_of, cast):
    assert "Choose the model" in text_of(browser_of("alice").get("agents:playground"))


def test_markup_of_the_model_is_harmless(browser_of, cast, first):
    with Recorder(wire.completion("<script>x()</script> ok")) as server:
        with cast.acme.scope():
            url = f"{server.url}/v1"
            set_endpoint(EndpointSettings("chat_completions", "m", url), trusted=True)
        page = text_of(browser_of("alice").post("agents:playground", text="Hello?"))
    assert "<script>x()" not in page


def test_the_day_is_told(cast, first):
    assert str(datetime.now(UTC).year) in facts(cast).today
