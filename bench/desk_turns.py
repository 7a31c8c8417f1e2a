"""The desk's own turn in steps: each adds one thing to the one before, all through public parts."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, cast
from uuid import UUID

from agent_framework import AgentResponse, Message, SessionContext, SupportsAgentRun
from django.db.models.functions import Now

from agents.models import Turn
from agents.runtime.clients import ClientSpec
from agents.runtime.history import HISTORY
from agents.runtime.loop import run_here
from agents.runtime.run import STATE_KEY, Facts, Run
from agents.services import turns
from agents.services.contract import ClaimedTurn, TurnAnswer
from agents.services.queueing import LEASE
from agents.services.usage import MeteredCall, used_by
from bench.measure import Watch, timed
from bench.raw import BODY, WINDOW
from conversations import transcript
from conversations.transcript import NewRow, Used
from tenants import due
from tenants.prepared import prepared_cursor
from tenants.scoping import new_id, tenant_scope

Commit = Callable[..., None]
_NOTHING = Used()
NOBODY = cast(SupportsAgentRun, None)


def sql_turn(tenant_id: UUID, conversation_id: UUID) -> None:
    """The two statements alone, each in a transaction of its own, as around a model call."""
    rows = transcript.load_window(tenant_id, conversation_id, limit=WINDOW)
    answer = [NewRow("agent", BODY, saw_seq=rows[-1].seq) for _ in range(2)]
    with tenant_scope(tenant_id):
        assert transcript.append(conversation_id, answer, by="agent")


def insert_only(claimed: ClaimedTurn, *, answer: TurnAnswer) -> None:
    """Two lines and nothing else: no lock on the talk, no number handed out, no list fields.

    It needs talks of its own, because the talk's row does not hear of the lines.
    """
    lines = zip(answer.rows, (1, 2), strict=True)
    talk, saw = claimed.conversation_id, answer.saw_seq
    with tenant_scope(claimed.tenant_id) as tenant_id, prepared_cursor() as cursor:
        values = [(new_id(), tenant_id, talk, saw + n, row.text, saw) for row, n in lines]
        cursor.execute(_INSERT, [*values[0], *values[1]])


_INSERT = """
INSERT INTO conversations_message
  (id, tenant_id, conversation_id, seq, role, author_name, text, saw_seq)
VALUES (%s, %s, %s, %s, 'agent', '', %s, %s), (%s, %s, %s, %s, 'agent', '', %s, %s)
"""


def append_only(claimed: ClaimedTurn, *, answer: TurnAnswer) -> None:
    with tenant_scope(claimed.tenant_id):
        _append(claimed, answer)


def with_fence_and_usage(claimed: ClaimedTurn, *, answer: TurnAnswer) -> None:
    with tenant_scope(claimed.tenant_id):
        _append(claimed, answer, used_by(answer.calls))
        assert turns._end_running(claimed, answer, used_by(answer.calls))


def with_due_work(claimed: ClaimedTurn, *, answer: TurnAnswer) -> None:
    with tenant_scope(claimed.tenant_id):
        _append(claimed, answer, used_by(answer.calls))
        assert turns._end_running(claimed, answer, used_by(answer.calls))
        due.cancel(LEASE, claimed.turn_id)


def _append(claimed: ClaimedTurn, answer: TurnAnswer, used: Used = _NOTHING) -> None:
    talk = claimed.conversation_id
    assert transcript.append(talk, answer.rows, by="agent", used=used)


# In the order in which they add up; the last one is what a worker really does.
STEPS: dict[str, Commit] = {
    "provider: load 40, append 2": insert_only,
    "+ number handed out and list fields": append_only,
    "+ fence and usage": with_fence_and_usage,
    "+ due work deleted": with_due_work,
    "+ doorbells = the whole commit": turns.commit_turn,
}


@dataclass
class SqlTurns:
    """Our two statements on Django's connection, without the framework."""

    tenant_id: UUID
    talks: Sequence[UUID]

    def __post_init__(self) -> None:
        self._talks = cycle(self.talks)

    def block(self, count: int) -> list[float]:
        return [timed(self._one) for _ in range(count)]

    def watched(self, watch: Watch) -> None:
        with watch:
            self._one()

    def _one(self) -> None:
        sql_turn(self.tenant_id, next(self._talks))


@dataclass
class ProviderTurns:
    """Turns through the history provider: what stands before and after them is not timed."""

    tenant_id: UUID
    talks: Sequence[UUID]
    commit: Commit

    def __post_init__(self) -> None:
        self._talks = cycle(self.talks)

    def block(self, count: int) -> list[float]:
        runs = [self.prepared() for _ in range(min(count, len(self.talks)))]
        taken: list[float] = run_here(self._timed(runs))
        self.end_all()
        return taken if len(runs) == count else taken + self.block(count - len(runs))

    def ready(self, count: int) -> Callable[[], object]:
        """So many turns, all prepared; there must be as many talks."""
        runs = [self.prepared() for _ in range(count)]

        def act() -> None:
            run_here(self._timed(runs))

        return act

    def end_all(self) -> None:
        """Turns that a step without the fence left running."""
        with tenant_scope(self.tenant_id):
            running = Turn.objects.filter(conversation_id__in=self.talks, state="running")
            running.update(state="succeeded", lease_until=None, finished_at=Now())

    def watched(self, watch: Watch) -> None:
        run = self.prepared()
        with watch:
            run_here(provider_turn(run))
        self.end_all()

    def prepared(self) -> Run:
        claimed = running_turn(self.tenant_id, next(self._talks))
        return Run(claimed, facts(), [call()], self.commit)

    async def _timed(self, runs: Sequence[Run]) -> list[float]:
        return [await provider_turn(run) for run in runs]


async def provider_turn(run: Run) -> float:
    """Seconds of what the framework calls around one run."""
    session, response = run.session(), answer()
    state = session.state[STATE_KEY]
    context = SessionContext(session_id=session.session_id, input_messages=[])
    around: dict[str, Any] = {"agent": NOBODY, "session": session, "context": context}
    started = time.perf_counter()
    await HISTORY.before_run(**around, state=state)
    context._response = response
    await HISTORY.after_run(**around, state=state)
    return time.perf_counter() - started


def running_turn(tenant_id: UUID, conversation_id: UUID) -> ClaimedTurn:
    """A turn as a claim leaves it: running, with a lease that is looked at later."""
    with tenant_scope(tenant_id):
        turn = Turn.objects.create(
            conversation_id=conversation_id, reason="customer", state="running", attempt=1,
            fence=1, lease_until=Now(), deadline_at=Now(),
        )  # fmt: skip
        due.schedule(LEASE, turn.id, after=3600)
    return ClaimedTurn(tenant_id, turn.id, conversation_id, 1, 1, 60.0, "customer")


def facts() -> Facts:
    spec = ClientSpec(api="offline", model="offline")
    return Facts(
        tenant_name="Bench", hours="", today="Monday, 30 November 2026", locale="en",
        customer_id=new_id(), customer_verified=False, agent_name="Assistant", instructions="",
        tools=(), window=WINDOW, max_steps=8, turn_seconds=60, client=spec,
    )  # fmt: skip


def call() -> MeteredCall:
    return MeteredCall("answer", "offline", "offline", "ok", input_tokens=100, output_tokens=20)


def answer() -> AgentResponse[Any]:
    return AgentResponse(messages=[Message("assistant", [BODY]), Message("assistant", [BODY])])
