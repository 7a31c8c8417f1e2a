"""What the agent did: the real reason for members, and a retry where one makes sense."""

import json
from uuid import uuid4

import pytest

from agents.models import Approval, ModelCall, ToolCall, Turn
from agents.selectors.turns import turns_of
from agents.services import turns
from agents.services.contract import TurnError
from agents.services.failing import fail_turn
from agents.services.usage import MeteredCall
from conversations.models import Conversation
from conversations.services import control
from tests.support.console import text_of
from tests.support.queries import at_most


@pytest.fixture
def failed(cast, talk) -> Turn:
    """The talk's turn after a refusal of the provider; the team has the talk."""
    with cast.acme.scope():
        turn = Turn.objects.get(conversation=talk)
        claimed = turns.claim(turn.id, owner="test")
    assert claimed
    error = TurnError("rejected", retryable=False, detail="Bad key", provider_status=401)
    spent = MeteredCall("answer", "responses", "m-1", "error", input_tokens=7, error_code="auth")
    fail_turn(claimed, error, [spent])
    with cast.acme.scope():
        ToolCall.objects.create(turn=turn, step=1, name="search_knowledge", arguments_digest=b"")
    return turn


def test_members_read_the_real_reason(browser_of, talk, failed):
    page = text_of(browser_of("vera").get("agents:turns", talk.id))
    for words in ("rejected", "401", "Bad key", "m-1", "search_knowledge", "1 attempt", "7 + 0"):
        assert words in page, words


def test_no_retry_is_offered_while_the_team_answers(browser_of, talk, failed):
    bob = browser_of("bob")
    assert "Try again" not in text_of(bob.get("agents:turns", talk.id))
    answer = bob.post("agents:retry-turn", failed.id, target="turns")
    assert "Hand back, then retry" in json.loads(answer["HX-Trigger"])["toast"]["text"]


def test_after_a_hand_back_the_failed_turn_can_be_tried_again(browser_of, cast, talk, failed):
    with cast.acme.scope():
        control.hand_back(Conversation.objects.get(pk=talk.pk), by=cast.acme.bob.member)
    bob = browser_of("bob")
    assert "Try again" in text_of(bob.get("agents:turns", talk.id))
    assert "Try again" not in text_of(browser_of("vera").get("agents:turns", talk.id))

    answer = bob.post("agents:retry-turn", failed.id, target="turns")

    assert "Queued" in text_of(answer)
    with cast.acme.scope():
        assert Turn.objects.filter(conversation=talk, state="queued").count() == 1


def test_who_may_retry(browser_of, failed):
    assert browser_of("vera").post("agents:retry-turn", failed.id).status_code == 403
    assert browser_of("mallory").post("agents:retry-turn", failed.id).status_code == 404
    assert browser_of("nobody").post("agents:retry-turn", failed.id).status_code == 302
    assert browser_of("bob").post("agents:retry-turn", uuid4()).status_code == 404


def test_the_trace_is_three_statements_for_any_number_of_calls(cast, talk, failed):
    with cast.acme.scope():
        for step in range(2, 9):
            ToolCall.objects.create(turn=failed, step=step, name="x", arguments_digest=b"")
            ModelCall.objects.create(turn_id=failed.id, api="responses", model="m", outcome="ok")
        with at_most(3):
            trace = turns_of(talk.id)[0]
    assert [call.step for call in trace.tool_calls] == list(range(1, 9))
    assert len(trace.model_calls) == 8


def test_a_finished_tool_says_how_long_it_took(browser_of, cast, talk, failed):
    with cast.acme.scope():
        ToolCall.objects.create(
            turn=failed, step=2, name="look_up_order", arguments_digest=b"", state="finished",
            duration_ms=12,
        )  # fmt: skip
    assert "look_up_order · 12 ms" in text_of(browser_of("bob").get("agents:turns", talk.id))


def test_what_waits_is_shown_with_its_exact_arguments(browser_of, cast, talk):
    with cast.acme.scope():
        turn = Turn.objects.get(conversation=talk)
        for number in range(2):
            Approval.objects.create(
                conversation=talk,
                turn=turn,
                call_id=f"call-{number}",
                tool="refund_order",
                arguments={"order": "1001", "reason": "<b>late</b>"},
                arguments_digest=b"",
                expires_at="2027-01-01T00:00Z",
            )
    bob = browser_of("bob")
    for page in (
        text_of(bob.get("agents:approvals")),
        text_of(bob.get("agents:pending-approvals", talk.id)),
    ):
        assert page.count('class="approval"') == 1
        assert page.count("Refund order") >= 2
        assert "<b>late" not in page
        assert page.count('value="approve"') == page.count('value="reject"') == 2
    vera = text_of(browser_of("vera").get("agents:pending-approvals", talk.id))
    assert "Refund order" in vera
    assert "<form" not in vera


def test_nothing_waits(browser_of, talk):
    assert "Nothing waits for you" in text_of(browser_of("bob").get("agents:approvals"))
    assert text_of(browser_of("bob").get("agents:pending-approvals", talk.id)).strip() == ""


def test_approvals_are_for_those_who_may_decide(browser_of):
    for person, status in {"bob": 200, "vera": 403, "mallory": 404, "nobody": 302}.items():
        assert browser_of(person).get("agents:approvals").status_code == status, person
