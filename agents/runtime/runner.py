"""One attempt at a turn: the one place where synchronous code enters the event loop."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import structlog
from django.conf import settings

from agents.runtime.clients import ClientFactory, open_client
from agents.runtime.deltas import Deltas, publish_delta, publish_typing
from agents.runtime.errors import is_fenced, turn_error
from agents.runtime.factory import build_agent
from agents.runtime.facts import load_facts
from agents.runtime.loop import run_here, step_out
from agents.runtime.run import Facts, Run
from agents.runtime.stop import listen
from agents.runtime.summary import before_turn
from agents.runtime.witness import keep_seen
from agents.services.contract import ClaimedTurn, Fenced, TurnAnswer, TurnError
from agents.services.turns import commit_turn, heartbeat
from agents.services.usage import MeteredCall

log = structlog.get_logger(__name__)

_TYPING_SECONDS = 2.0  # well within the five that readers believe it


def _commit(claimed: ClaimedTurn, *, answer: TurnAnswer) -> None:
    commit_turn(claimed, answer=answer)


@dataclass(frozen=True)
class Desk:
    """What a run needs of the rest of the desk."""

    load: Callable[[ClaimedTurn], Facts] = load_facts
    commit: Callable[..., None] = _commit
    heartbeat: Callable[[ClaimedTurn], bool] = heartbeat
    publish: Callable[[ClaimedTurn, dict[str, Any]], None] = publish_delta
    typing: Callable[..., None] = publish_typing
    note: Callable[..., None] = keep_seen


DESK = Desk()


def run_turn(
    claimed: ClaimedTurn,
    *,
    calls: list[MeteredCall],
    client: ClientFactory | None = None,
    desk: Desk = DESK,
) -> None:
    """Answers the turn and commits it, or raises `TurnError` or `Fenced` with nothing stored.

    Every model call is in `calls` when this returns or raises. No transaction is open while a model
    thinks. Ends by itself at the turn's deadline, and at once when the turn is cancelled or lost.
    """
    try:
        facts = desk.load(claimed)
        clients = client or open_client
        run = Run(claimed, facts, calls, desk.commit, note=desk.note, clients=clients)
    except Exception as error:
        raise turn_error(error) from error
    run_here(_supervised(run, desk))


async def _supervised(run: Run, desk: Desk) -> None:
    work = asyncio.create_task(_answer(run, desk))
    watchers = [
        asyncio.create_task(_heartbeats(run.claimed, desk, work)),
        asyncio.create_task(listen(run.claimed.turn_id, work.cancel)),
        asyncio.create_task(_typing(run, desk)),
    ]
    try:
        await _finished(run, work)
    finally:
        await _end(watchers)
        step_out(desk.typing, run.claimed, run.facts.agent_name, on=False)


async def _end(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Cancels until it is done: the Redis client loses a cancellation while it connects."""
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=0.05)


async def _finished(run: Run, work: asyncio.Task[None]) -> None:
    """Waits for the work within the deadline; a turn that is stored by then counts as answered."""
    seconds = max(min(run.claimed.deadline_seconds, run.facts.turn_seconds), 0)
    try:
        async with asyncio.timeout(seconds):
            await work
    except asyncio.CancelledError:
        if not run.committed:
            raise Fenced from None
    except TurnError:
        raise
    except Exception as error:
        if is_fenced(error):
            raise Fenced from error
        if not run.committed:
            raise turn_error(error, secret=run.facts.client.api_key) from error
        log.exception("after_commit", turn=str(run.claimed.turn_id))


async def _answer(run: Run, desk: Desk) -> None:
    async with run.clients(run.facts.client) as client:
        await before_turn(run, client)
        agent = build_agent(run, client)
        stream = agent.run(
            stream=True, session=run.session(), function_invocation_kwargs={"run": run}
        )
        deltas = Deltas(run.claimed, desk.publish)
        async for update in stream:
            deltas.add(update)
        await stream.get_final_response()
    if not run.committed:
        raise TurnError("empty_answer", retryable=True, detail="The model answered without words.")


async def _typing(run: Run, desk: Desk) -> None:
    while True:
        step_out(desk.typing, run.claimed, run.facts.agent_name, on=True)
        await asyncio.sleep(_TYPING_SECONDS)


async def _heartbeats(claimed: ClaimedTurn, desk: Desk, work: asyncio.Task[None]) -> None:
    """Keeps the lease; stops the work when the turn is no longer ours."""
    while True:
        await asyncio.sleep(settings.TURN_HEARTBEAT_SECONDS)
        # A database that is away for a moment proves nothing; the fence decides at the commit.
        with suppress(Exception):
            if not step_out(desk.heartbeat, claimed):
                work.cancel()
