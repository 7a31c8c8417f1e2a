"""The one history provider: no leak between talks, nothing of a failed turn, no lost repetition."""

import asyncio
import dataclasses
import json
import random
from typing import Any
from uuid import uuid4

import pytest
from agent_framework import AgentSession, SessionContext

from agents.runtime.clients import ClientSpec
from agents.runtime.factory import build_agent
from agents.runtime.history import HISTORY, UnknownConversation
from agents.runtime.loop import run_here
from agents.runtime.run import Facts, Run
from agents.runtime.runner import run_turn
from agents.services.contract import TurnError
from conversations.models import Message
from tenants.scoping import tenant_scope
from tests.support.elsewhere import answered_elsewhere
from tests.support.scripted import Say, ScriptedChatClient
from tests.support.talks import (
    Recorder,
    claim,
    ended,
    make_talk,
    make_tenant,
    post,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def tenant():
    return make_tenant()


def answer(talk, *script, **options):
    claimed = claim(talk, **options)
    client = ScriptedChatClient(*script)
    recorder = Recorder()
    run_turn(claimed, calls=[], client=client.opened, desk=recorder.desk)
    ended(claimed)
    return client


def stored(talk):
    with tenant_scope(talk.tenant_id):
        rows = Message.objects.filter(conversation=talk).order_by("seq")
        return [(row.role, row.text) for row in rows]


def test_a_failed_turn_stores_nothing_and_the_retry_sees_the_question_once(tenant):
    talk = make_talk(tenant, "Where is it?")
    failing = (Say(calls=[("search_knowledge", {"query": "it"})]), Say(fail=OSError("cut")))
    with pytest.raises(TurnError):
        run_turn(
            claim(talk),
            calls=[],
            client=ScriptedChatClient(*failing).opened,
            desk=Recorder().desk,
        )
    assert stored(talk) == [("customer", "Where is it?")]
    with tenant_scope(tenant.id):
        from agents.models import Turn  # noqa: PLC0415 - only here

        Turn.objects.update(state="failed", lease_until=None, finished_at="2026-11-30T00:00Z")
    client = answer(talk, Say(text="Here."))
    assert [m.text for m in client.requests[0].messages] == ["Where is it?"]


def test_equal_messages_stay_two(tenant):
    talk = make_talk(tenant, "yes")
    answer(talk, Say(text="ok"))
    post(talk, "yes")
    answer(talk, Say(text="ok"))
    assert stored(talk) == [("customer", "yes"), ("agent", "ok")] * 2
    post(talk, "yes")
    client = answer(talk, Say(text="ok"))
    assert [m.text for m in client.requests[0].messages] == ["yes", "ok", "yes", "ok", "yes"]


def test_what_was_said_during_a_turn_comes_after_its_answer(tenant):
    talk = make_talk(tenant, "size M")

    claimed = claim(talk)
    client = ScriptedChatClient(Say(text="M is in stock."))
    recorder = Recorder()
    commit = recorder.commit

    def late(claimed, *, answer):
        post(talk, "no, size L")
        commit(claimed, answer=answer)

    desk = dataclasses.replace(recorder.desk, commit=late)
    run_turn(claimed, calls=[], client=client.opened, desk=desk)
    ended(claimed)
    client = answer(talk, Say(text="L too."))
    assert [m.text for m in client.requests[0].messages] == [
        "size M",
        "M is in stock.",
        "no, size L",
    ]


def test_an_unknown_or_foreign_conversation_raises(tenant):
    other = make_tenant("globex")
    talk = make_talk(other, "secret of globex")
    foreign = {"tenant_id": str(tenant.id), "conversation_id": str(talk.id), "window": 40}
    for state in (foreign, {}, None):
        with pytest.raises(UnknownConversation):
            run_here(HISTORY.get_messages(None, state=state))


def test_a_session_holds_plain_ids_and_goes_on_from_them(tenant):
    talk = make_talk(tenant, "hello")
    run = Run(claim(talk), facts(), [], Recorder().commit)
    plain = {key: value for key, value in run.session().state.items() if key == "desk"}
    again = AgentSession.from_dict(
        {"type": "session", "session_id": "x", "state": json.loads(json.dumps(plain))}
    )
    messages = run_here(HISTORY.get_messages("x", state=again.state["desk"]))
    assert [m.text for m in messages] == ["hello"]


def test_what_is_written_on_one_message_reaches_no_other(tenant):
    talk = make_talk(tenant, "first")
    post(talk, "second")
    run = Run(claim(talk), facts(), [], Recorder().commit)
    session, agent = run.session(), build_agent(run, ScriptedChatClient())

    def shown():
        context = SessionContext(session_id=session.session_id, input_messages=[])
        run_here(HISTORY.before_run(
            agent=agent, session=session, context=context, state=session.state["desk"],
        ))  # fmt: skip
        return context.get_messages()

    first, second = shown()
    first.additional_properties["_attribution"]["seen"] = str(talk.id)
    assert "seen" not in second.additional_properties["_attribution"]
    assert all("seen" not in m.additional_properties["_attribution"] for m in shown())


def test_another_process_goes_on_with_the_talk(tenant):
    talk = make_talk(tenant, "first")
    answer(talk, Say(calls=[("search_knowledge", {"query": "first"})]), Say(text="one"))
    post(talk, "second")
    claimed = claim(talk)
    assert answered_elsewhere(claimed) == [
        ["user", "first"],
        ["assistant", ""],
        ["tool", ""],
        ["assistant", "one"],
        ["user", "second"],
    ]
    assert stored(talk)[-1] == ("agent", "elsewhere")


def facts(**values):
    plain: dict[str, Any] = {
        "tenant_name": "Acme",
        "hours": "",
        "today": "today",
        "locale": "en",
        "customer_id": uuid4(),
        "customer_verified": False,
        "agent_name": "Assistant",
        "instructions": "",
        "tools": (),
        "window": 40,
        "max_steps": 8,
        "turn_seconds": 30,
        "client": ClientSpec("offline", "scripted"),
    }
    return Facts(**(plain | values))


class Fifty:
    """Fifty talks of two tenants, run at once on the one provider, with random cancellations."""

    def __init__(self, tenants):
        self.talks = [make_talk(tenants[n % 2], canary(n)) for n in range(50)]
        self.luck = random.Random(7)
        self.leaks: list[str] = []

    def run(self):
        self.claims = [claim(talk) for talk in self.talks]
        run_here(self._everything())
        for claimed in self.claims:
            ended(claimed)

    async def _everything(self):
        tasks = [asyncio.create_task(self._one(number)) for number in range(50)]
        for task in self.luck.sample(tasks, 12):
            asyncio.get_running_loop().call_later(self.luck.random() / 10, task.cancel)
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _one(self, number):
        run = Run(self.claims[number], facts(), [], Recorder().commit)
        client = ScriptedChatClient(self._script(number))
        await build_agent(run, client).run(session=run.session())

    def _script(self, number):
        def script(messages):
            seen = " ".join(message.text for message in messages)
            others = [n for n in range(50) if n != number and canary(n) in seen]
            self.leaks.extend(f"{number} saw {other}" for other in others)
            return Say(text=f"answer {canary(number)}", wait=self.luck.random() / 20)

        return script


def canary(number):
    return f"canary-{number:02d}"


def test_fifty_talks_of_two_tenants_on_one_provider_never_mix(tenant):
    fifty = Fifty([tenant, make_tenant("globex")])
    fifty.run()
    fifty.run()
    assert fifty.leaks == []
    answered = 0
    for number, talk in enumerate(fifty.talks):
        lines = [text for _, text in stored(talk)]
        assert all(canary(number) in line for line in lines)
        answered += len(lines) - 1
    assert 50 < answered <= 100
    assert vars(HISTORY).keys() == vars(type(HISTORY)()).keys()
