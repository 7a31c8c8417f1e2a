"""What the model saw: the very request again, from rows and versions, without a copy."""

import json

import pytest

from agents.models import Turn
from agents.runtime.rebuild import Seen, rebuild
from agents.runtime.runner import run_turn
from agents.runtime.witness import masked
from agents.services import turns
from agents.services.contract import TurnError
from agents.services.endpoints import EndpointSettings, set_endpoint
from agents.services.failing import fail_turn
from conversations.models import Message
from conversations.services import edits
from tenants.scoping import tenant_scope
from tests.support.console import text_of
from tests.support.desk import Desk
from tests.support.scripted import Say, ScriptedChatClient
from tests.support.talks import make_tenant

pytestmark = pytest.mark.django_db

QUESTION = "Where is order 1001?"


@pytest.fixture
def desk():
    tenant = make_tenant("northwind", instructions="Be kind to cyclists.")
    with tenant_scope(tenant.id):
        yield Desk.make()


def answer(conversation, *script) -> tuple[Turn, ScriptedChatClient]:
    turn = Turn.objects.get(conversation=conversation, state="queued")
    claimed = turns.claim(turn.id, owner="test")
    assert claimed
    client = ScriptedChatClient(*script)
    try:
        run_turn(claimed, calls=[], client=client.opened)
    except TurnError as error:
        fail_turn(claimed, error, [])
    turn.refresh_from_db()
    return turn, client


def sent(client):
    return [(str(message.role), message.text) for message in client.requests[0].messages]


def opened(turn: Turn) -> Seen:
    seen = rebuild(turn)
    assert seen is not None
    return seen


def first_line(conversation) -> Message:
    return Message.objects.filter(conversation=conversation).order_by("seq")[0]


def two_turns(desk):
    conversation = desk.start(QUESTION)
    call = Say(calls=[("search_knowledge", {"query": "order"})])
    answer(conversation, call, Say("It is **here**."))
    desk.say(conversation, "And 1002?")
    return conversation, *answer(conversation, Say("There."))


def test_a_turn_is_rebuilt_exactly_and_holds_no_words_of_the_talk(desk):
    _, turn, client = two_turns(desk)

    seen = opened(turn)

    assert seen.exact
    assert seen.same_instructions
    assert "Be kind to cyclists." in seen.instructions
    assert "Company: Northwind" in seen.context
    assert [tool.name for tool in seen.tools] == ["search_knowledge", "ask_for_person"]
    assert all(tool.same for tool in seen.tools)
    texts = [(message.role, message.text) for message in seen.messages if "→" not in message.text]
    assert [pair for pair in sent(client) if pair[1]] == [t for t in texts if "←" not in t[1]]
    kept = json.dumps(turn.seen)
    assert QUESTION not in kept
    assert "It is **here**" not in kept
    assert turn.profile_id is not None


def test_the_words_that_stood_there_then_are_shown_after_an_edit(desk):
    conversation, turn, _ = two_turns(desk)
    first = first_line(conversation)
    edits.edit_message(first, by=desk.sam, text="Something else")
    edits.edit_message(first, by=desk.sam, text="And something else again")

    seen = opened(turn)

    assert seen.exact
    assert seen.messages[0].text == QUESTION


def test_what_was_blacked_out_stays_black_and_is_said_not_to_be_exact(desk):
    conversation, turn, _ = two_turns(desk)
    first = first_line(conversation)
    edits.redact_words(first, by=desk.sam, words="1001")

    seen = opened(turn)

    assert not seen.exact
    assert "1001" not in seen.messages[0].text


def test_a_failed_turn_can_be_opened_too(desk):
    turn, _ = answer(desk.start(QUESTION), Say(fail=TimeoutError()))
    assert opened(turn).messages[0].text == QUESTION


def test_a_turn_that_asked_no_model_has_nothing_to_show(desk):
    desk.start(QUESTION)
    assert rebuild(Turn.objects.get()) is None


def test_secrets_among_the_options_are_not_kept():
    kept = masked({"max_tokens": 9, "extra_headers": {"X-Api-Key": "s"}, "api_key": "s"})
    assert kept == {"max_tokens": 9, "extra_headers": {"X-Api-Key": "•••"}, "api_key": "•••"}


def test_members_open_it_from_the_turns(browser_of, cast, talk):
    with cast.acme.scope():
        set_endpoint(EndpointSettings(api="offline", model="offline"), trusted=True)
        claimed = turns.claim(Turn.objects.get(conversation=talk).id, owner="test")
    assert claimed is not None
    vera = browser_of("vera")
    assert "never asked a model" in text_of(vera.get("agents:turn-seen", claimed.turn_id))
    run_turn(claimed, calls=[], client=ScriptedChatClient(Say("Here.")).opened)

    assert "What the model saw" in text_of(vera.get("agents:turns", talk.id))
    page = text_of(vera.get("agents:turn-seen", claimed.turn_id))
    assert "Exactly what was sent" in page
    assert QUESTION in page
    assert browser_of("mallory").get("agents:turn-seen", claimed.turn_id).status_code == 404
