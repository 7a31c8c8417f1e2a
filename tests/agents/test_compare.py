"""A stored turn asked again of another version: side by side, and nothing is left behind."""

import pytest

from agents.models import AgentProfile, ModelCall, Turn
from agents.runtime.compare import compare, stored_turn
from agents.runtime.runner import run_turn
from agents.selectors.providers import providers_of
from agents.services import budgets, turns
from agents.services.endpoints import EndpointSettings, set_endpoint
from agents.services.profiles import ProfileSettings, publish_profile
from conversations.models import Conversation, Message
from tests.support.console import text_of
from tests.support.scripted import Say, ScriptedChatClient

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def answered(cast, talk) -> Turn:
    with cast.acme.scope():
        first = set_endpoint(EndpointSettings(api="offline", model="offline"), trusted=True)
        publish_profile(endpoint=first.endpoint, settings=ProfileSettings(instructions="Be brief."))
        claimed = turns.claim(Turn.objects.get(conversation=talk).id, owner="test")
    assert claimed
    run_turn(claimed, calls=[], client=ScriptedChatClient(Say("It is here.")).opened)
    with cast.acme.scope():
        return Turn.objects.get(pk=claimed.turn_id)


def counts(cast, talk):
    with cast.acme.scope():
        row = Conversation.objects.get(pk=talk.pk)
        return (
            Message.objects.count(),
            Turn.objects.count(),
            ModelCall.objects.exclude(purpose="compare").count(),
            row.last_seq,
        )


def test_the_same_lines_go_to_another_version_and_nothing_else_is_stored(cast, talk, answered):
    alice = cast.acme.alice.member
    with cast.acme.scope():
        first = AgentProfile.objects.order_by("version")[0]
    before = counts(cast, talk)
    client = ScriptedChatClient(Say("Tomorrow."))

    stored = stored_turn(alice, answered.id)
    trial = compare(alice, stored, first.id, client=client.opened)

    assert (stored.answer, trial.text, trial.problem) == ("It is here.", "Tomorrow.", "")
    request = client.requests[0]
    assert [m.text for m in request.messages if m.role == "user"] == ["Where is order 1001?"]
    assert "It is here." not in request.text
    assert "Be brief." not in str(request.options.get("instructions"))
    assert counts(cast, talk) == before
    with cast.acme.scope():
        asked = ModelCall.objects.get(purpose="compare")
        assert (asked.conversation_id, asked.turn_id, asked.output_tokens) == (talk.id, None, 20)
        talk.refresh_from_db()
        every = ModelCall.objects.filter(conversation_id=talk.id)
        assert talk.output_tokens == sum(call.output_tokens for call in every)
        # Not out of the customer's own budget.
        budgets.set_budget(by=alice, conversation_tokens=121)
        left = budgets.allowance(turn_id=answered.id, conversation_id=talk.id)
        assert left.reached() is None
        assert [one.name for one in providers_of([talk.id])] == []


def test_administrators_compare_on_a_page(browser_of, cast, talk, answered):
    alice = browser_of("alice")
    seen = text_of(alice.get("agents:turn-seen", answered.id))
    assert "Compare with another version" in seen
    with cast.acme.scope():
        version = AgentProfile.objects.order_by("version")[0].id
    before = counts(cast, talk)

    page = text_of(alice.post("agents:compare-turn", answered.id, version=version))

    assert "It is here." in page
    assert "Asked again" in page
    assert counts(cast, talk) == before
    assert browser_of("bob").get("agents:compare-turn", answered.id).status_code == 403
    assert browser_of("mallory").get("agents:compare-turn", answered.id).status_code == 404


def test_a_turn_that_asked_no_model_says_so(browser_of, cast, talk):
    with cast.acme.scope():
        turn = Turn.objects.get(conversation=talk)
    page = browser_of("alice").get("agents:compare-turn", turn.id)
    assert page.status_code == 409
    assert "never asked a model" in text_of(page)
