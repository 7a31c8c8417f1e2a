"""Agent.run with an instant model: what our middleware and providers add to the bare framework.

By layers at a window of 40 messages, and whole at 10, 100 and 1,000 messages of history.

python -m bench.agent_run [--quick]
"""

import time
from collections.abc import Awaitable, Callable
from typing import Any

from bench import cluster, harness, measure

cluster.enter()

from agent_framework import Agent, AgentSession, InMemoryHistoryProvider, Message

from agents.runtime.factory import build_agent
from agents.runtime.history import HISTORY
from agents.runtime.loop import run_here
from agents.runtime.run import Run
from bench import desk_turns, seeding
from bench.instant import InstantClient
from bench.measure import Block, Size, Table
from bench.raw import BODY, WINDOW
from tenants.models import Tenant

_CLIENT = InstantClient()
_KEY = "in_memory"
_LENGTHS = (10, 100, 1_000)
_INSTRUCTIONS = "You answer customers."
_Act = Callable[[], Awaitable[float]]


def run(size: Size) -> list[Table]:
    tenant = seeding.tenant("runs")
    return [_layers(_new_run(tenant, 100), size), _lengths(tenant, size)]


def _new_run(tenant: Tenant, length: int) -> Callable[[], Run]:
    """Runs of a talk of so many messages, which store nothing."""
    (talk,) = seeding.talks(tenant, length=length, count=1)
    claimed = desk_turns.running_turn(tenant.id, talk)
    return lambda: Run(claimed, desk_turns.facts(), [], lambda *_, **__: None)


def _layers(new_run: Callable[[], Run], size: Size) -> Table:
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
    return table


def _lengths(tenant: Tenant, size: Size) -> Table:
    """Ours shows the model a window; the framework's own memory shows it everything."""
    table = Table(
        "Agent.run by length of the history, streamed, model and storing left out",
        [
            "messages",
            "in-memory: ms median / p95",
            "ours: ms median / p95",
            "ours beside in-memory",
        ],
    )
    ours: dict[int, float] = {}
    for length in _LENGTHS:
        found = _readings(_new_run(tenant, length), size, stream=True, messages=length)
        bare, whole = found[0], found[2]
        ours[length] = whole.median
        cells = [f"{r.median:.2f} / {r.p95:.2f}" for r in (bare, whole)]
        table.add(f"{length:,}", *cells, f"{whole.ratio:.2f}×")
    low, high = ours[_LENGTHS[1]], ours[_LENGTHS[-1]]
    table.notes.append(
        f"Ours at {_LENGTHS[-1]:,} beside {_LENGTHS[1]:,}: {high / low:.2f}×. The window is"
        f" {WINDOW} messages, so beyond it nothing grows. One SELECT of it is within."
    )
    return table


def _readings(
    new_run: Callable[[], Run], size: Size, *, stream: bool, messages: int = WINDOW
) -> list[measure.Reading]:
    async def bare() -> float:
        agent = Agent(_CLIENT, _INSTRUCTIONS, context_providers=[InMemoryHistoryProvider(_KEY)])
        session = AgentSession()
        session.state[_KEY] = {"messages": _messages(messages)}
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

    return lambda count: run_here(several(count))


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


def _messages(count: int) -> list[Message]:
    return [Message("user" if n % 2 else "assistant", [BODY]) for n in range(count)]


if __name__ == "__main__":
    harness.main(__doc__, run)
