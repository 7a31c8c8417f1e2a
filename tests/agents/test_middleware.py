"""What stands around runs, model calls and tools does the same, streaming or not."""

import asyncio
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from agents.models import ToolCall
from agents.runtime import runner
from agents.runtime.factory import build_agent
from agents.runtime.facts import load_facts
from agents.runtime.loop import run_here
from agents.runtime.masking import masked_row
from agents.runtime.run import Run
from agents.runtime.secrets import MASK, Secrets
from agents.services import budgets
from agents.services.contract import TurnError
from agents.services.tools import ToolRule, set_tool_rule
from agents.services.turns import claim
from conversations.transcript import NewRow
from tests.support.scripted import Say, ScriptedChatClient
from tests.support.shop import Shop, look_up, refund
from tests.support.talks import Recorder

pytestmark = pytest.mark.django_db(transaction=True)

BOTH = pytest.mark.parametrize("streams", [True, False], ids=["streaming", "whole"])
KEY = "hush-hush-key-1"
DONE = Say(text="That is settled.")


@pytest.fixture
def shop():
    return Shop.make()


class Attempt:
    """One run of the real agent, streamed or whole; what it stored, booked and showed."""

    def __init__(self, shop, *script, streams, seconds=30.0, key=KEY):
        self.client, self.calls, self.desk = ScriptedChatClient(*script), [], Recorder()
        self.shown, self.error, self.streams = "", None, streams
        shop.talk = None
        shop.say("My lamp came broken.")
        with shop.scope():
            claimed = claim(shop.queued(), owner="test")
        assert claimed is not None
        facts = load_facts(claimed)
        facts = replace(facts, client=replace(facts.client, api_key=key), turn_seconds=seconds)
        self.run = Run(claimed, facts, self.calls, self.desk.commit)
        try:
            run_here(self._bounded())
        except TurnError as error:
            self.error = error.code

    async def _bounded(self):
        """Within the runner's own deadline."""
        await runner._finished(self.run, asyncio.create_task(self._go()))

    async def _go(self):
        agent = build_agent(self.run, self.client)
        options: dict[str, Any] = {
            "session": self.run.session(),
            "function_invocation_kwargs": {"run": self.run},
        }
        if not self.streams:
            await agent.run(**options)
            return
        stream = agent.run(stream=True, **options)
        async for update in stream:
            self.shown += update.text
        await stream.get_final_response()

    @property
    def booked(self):
        return [(call.purpose, call.outcome, call.error_code) for call in self.calls]

    @property
    def stored(self):
        return [(row.text, row.parts) for answer in self.desk.answers for row in answer.rows]

    def told(self):
        """The results that the model was given last."""
        contents = [c for m in self.client.requests[-1].messages for c in m.contents]
        return [str(c.result) for c in contents if c.type == "function_result"]


# --- the run --------------------------------------------------------------------------------------


@BOTH
def test_the_deadline_ends_it(shop, streams):
    attempt = Attempt(shop, Say(text="late", wait=20), streams=streams, seconds=0.5)
    assert (attempt.error, attempt.stored) == ("timeout", [])
    assert attempt.booked == [("answer", "cancelled", "")]


# --- model calls: metering ------------------------------------------------------------------------


@BOTH
def test_every_call_is_metered(shop, streams):
    attempt = Attempt(shop, Say(calls=[look_up()]), DONE, streams=streams)
    assert attempt.booked == [("answer", "ok", ""), ("answer", "ok", "")]
    used = [(call.input_tokens, call.output_tokens) for call in attempt.calls]
    assert used == [(100, 20), (100, 20)]


@BOTH
@pytest.mark.parametrize(
    ("say", "code"),
    [
        (Say(text="x", finish="content_filter"), "content_filter"),
        (Say(text="x" * 64_001, chunk=9_000), "answer_too_long"),
        (Say(fail=OSError("away")), "internal"),
    ],
)
def test_what_goes_wrong_is_named_booked_and_stores_nothing(shop, streams, say, code):
    attempt = Attempt(shop, say, streams=streams)
    assert (attempt.error, attempt.stored) == (code, [])
    assert attempt.booked == [("answer", "error", code)]


@BOTH
def test_a_budget_ends_it_before_the_next_request(shop, streams):
    with shop.scope():
        budgets.set_budget(by=shop.alice, turn_tokens=120)
    attempt = Attempt(shop, Say(calls=[look_up()]), DONE, streams=streams)
    assert (attempt.error, len(attempt.client.requests)) == ("budget_turn", 1)


# --- model calls: secrets -------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("chunk", [1, 3, 7, 60])
def test_a_secret_is_masked_before_it_is_shown_or_stored(shop, streams, chunk):
    words = f"The key is {KEY}, and sk-0123456789abcdef0123. Thanks!"
    attempt = Attempt(shop, Say(text=words, chunk=chunk), streams=streams)
    masked = f"The key is {MASK}, and {MASK} Thanks!"
    assert attempt.stored == [(masked, None)]
    if streams:
        assert attempt.shown == masked


@BOTH
def test_a_secret_at_the_very_end_is_masked_and_nothing_is_lost(shop, streams):
    for words, left in ((f"Key: {KEY}", f"Key: {MASK}"), ("Not a hush-hush", "Not a hush-hush")):
        attempt = Attempt(shop, Say(text=words, chunk=2), streams=streams)
        assert attempt.stored == [(left, None)]


@BOTH
def test_no_tool_carries_a_secret_out(shop, streams):
    call = look_up(KEY)
    attempt = Attempt(shop, Say(text=f"{KEY} it is", calls=[call]), DONE, streams=streams)
    with shop.scope():
        assert [row.arguments for row in ToolCall.objects.all()] == [{"order": MASK}]
    assert KEY not in str(attempt.stored)
    assert KEY not in str([request.messages for request in attempt.client.requests])


@BOTH
def test_the_request_for_an_approval_shows_no_secret(shop, streams):
    ask = Say(text="May I?", calls=[refund(reason=f"Because of {KEY}")])
    attempt = Attempt(shop, ask, streams=streams)
    (answer,) = attempt.desk.answers
    assert answer.awaiting_approval
    assert [call.arguments["reason"] for call in answer.requests] == [f"Because of {MASK}"]
    assert KEY not in str(answer.session_state) + str(attempt.stored)


def test_sealed_data_and_ids_stay_as_they_are():
    sealed = {"type": "text_reasoning", "text": "Hm.", "protected_data": "eyJ" + "a" * 40}
    call = {"type": "function_call", "call_id": "ak_" + "0" * 32, "arguments": f'{{"k": "{KEY}"}}'}
    told = {"type": "text_reasoning", "text": f"I know {KEY}.", "protected_data": "x"}
    row = masked_row(NewRow(role="agent", parts=[sealed, call, told]), Secrets([KEY]))
    assert row.parts == [sealed, {**call, "arguments": f'{{"k": "{MASK}"}}'}]


# --- function calls: policy and journal -----------------------------------------------------------


@BOTH
def test_a_deny_rule_answers_in_words_and_nothing_runs(shop, streams):
    with shop.scope():
        set_tool_rule("look_up_order", ToolRule(needs_verified=True), by=shop.alice)
    attempt = Attempt(shop, Say(calls=[look_up()]), DONE, streams=streams)
    assert "proven who they are" in attempt.told()[0]
    assert shop.steps() == []
    assert attempt.stored[-1][0] == "That is settled."


@BOTH
def test_a_threshold_asks(shop, streams):
    rule = ToolRule(approval="above", threshold_argument="amount", threshold=Decimal(20))
    with shop.scope():
        set_tool_rule("refund_order", rule, by=shop.alice)
    attempt = Attempt(shop, Say(calls=[refund(amount=30)]), streams=streams)
    assert attempt.desk.answers[0].awaiting_approval
    assert shop.refunds() == []


@BOTH
def test_a_tool_acts_once_and_stands_in_the_journal(shop, streams):
    with shop.scope():
        set_tool_rule("refund_order", ToolRule(approval="never"), by=shop.alice)
    Attempt(shop, Say(calls=[refund()]), DONE, streams=streams)
    assert shop.steps() == [("refund_order", "finished")]
    assert shop.refunds() == [("1001", 20)]
