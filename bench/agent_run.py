"""Agent.run with an instant model: what our middleware and providers add to the bare framework.

python -m bench.agent_run [--quick]
"""

import time
from collections.abc import Awaitable, Callable
from typing import Any

from bench import cluster, harness, measure

cluster.enter()

from agent_framework import Agent, AgentSession, InMemoryHistoryProvider, Message
from asgiref.sync import async_to_sync

from agents.runtime.factory import build_agent
from agents.runtime.history import HISTORY
from agents.runtime.run import Run
from bench import desk_turns, seeding
from bench.instant import InstantClient
from bench.measure import Block, Size, Table
from bench.raw import BODY, WINDOW

_CLIENT = InstantClient()
_KEY = "in_memory"
_INSTRUCTIONS = "You answer customers."
_Act = Callable[[], Awaitable[float]]


def run(size: Size) -> list[Table]:
    tenant = seeding.tenant("runs")
    (talk,) = seeding.talks(tenant, length=100, count=1)
    claimed = desk_turns.running_turn(tenant.id, talk)

    def new_run() -> Run:
        return Run(claimed, desk_turns.facts(), [], lambda *_, **__: None)

    table = Table(
        "Agent.run, 40 messages, model and storing left out",
        ["agent", "ms median / p95", "beside in-memory", "streamed", "beside in-memory"],
    )
    whole, streamed = (_readings(new_run, size, stream=stream) for stream in (False, True))
    for one, two in zip(whole, streamed, strict=True):
        cells = [f"{r.median:.2f} / {r.p95:.2f}" for r in (one, two)]
        table.add(one.name, cells[0], f"{one.ratio:.2f}×", cells[1], f"{two.ratio:.2f}×")
    for name, found in (("", whole), (" (streamed)", streamed)):
        added = found[2].median - found[1].median
        table.notes.append(f"Our middleware and context add{name}: {added:+.2f} ms, goal ≤ 0.5 ms.")
    return [table]


def _readings(new_run: Callable[[], Run], size: Size, *, stream: bool) -> list[measure.Reading]:
    async def bare() -> float:
        agent = Agent(_CLIENT, _INSTRUCTIONS, context_providers=[InMemoryHistoryProvider(_KEY)])
        session = AgentSession()
        session.state[_KEY] = {"messages": _messages()}
        return await _timed(agent, session, stream=stream)

    async def own_rows() -> float:
        agent = Agent(_CLIENT, _INSTRUCTIONS, context_providers=[HISTORY])
        return await _timed(agent, new_run().session(), stream=stream)

    async def whole() -> float:
        current = new_run()
        started = time.perf_counter()
        agent = build_agent(current, _CLIENT)
        built = time.perf_counter() - started
        return built + await _timed(agent, current.session(), stream=stream)

    contestants = {
        "our history alone: 40 rows by SQL, as messages": _block(own_rows),
        "our whole agent: history, facts, meter, journal": _block(whole),
    }
    what = "agent, streamed" if stream else "agent"
    found = measure.interleave(_block(bare), contestants, size, what=what)
    return [measure.Reading("bare framework, in-memory history", found[0].ms, 1.0), *found[1:]]


def _block(act: _Act) -> Block:
    async def several(count: int) -> list[float]:
        return [await act() for _ in range(count)]

    return async_to_sync(several)


async def _timed(agent: Agent, session: AgentSession, *, stream: bool) -> float:
    options: dict[str, Any] = {"session": session}
    started = time.perf_counter()
    if stream:
        answer = agent.run(stream=True, **options)
        async for _ in answer:
            pass
        await answer.get_final_response()
    else:
        await agent.run(**options)
    return time.perf_counter() - started


def _messages() -> list[Message]:
    return [Message("user" if n % 2 else "assistant", [BODY]) for n in range(WINDOW)]


if __name__ == "__main__":
    harness.main(__doc__, run)
