"""The agent's work that is due: each handler loads, and makes one call."""

import os
import socket
from functools import partial
from time import monotonic

import structlog

from agents.runtime.insights import one_shot
from agents.runtime.oneshot import work_off
from agents.runtime.runner import run_turn
from agents.runtime.summary import after_turn
from agents.services import approvals, insights, leases, metrics, turns
from agents.services.contract import ClaimedTurn, Fenced, TurnError
from agents.services.failing import book_fenced, fail_turn
from agents.services.insights import INSIGHTS, ONE_SHOTS, SUMMARY
from agents.services.queueing import APPROVAL, LEASE, TURN
from agents.services.usage import MeteredCall
from tenants import due, tracing
from tenants.due import Work

log = structlog.get_logger(__name__)


@due.handles(TURN)
def answer(work: Work) -> None:
    """Claim, run, and book what was used whatever happens."""
    with work.scope():
        claimed = turns.claim(work.ref_id, owner=f"{socket.gethostname()}:{os.getpid()}")
    if claimed is None:
        leases.settle_unclaimed(work)
        return
    calls: list[MeteredCall] = []
    talk, turn = claimed.conversation_id, claimed.turn_id
    with tracing.about(conversation=talk, turn=turn, attempt=claimed.attempt):
        _attempt(claimed, calls)


def _attempt(claimed: ClaimedTurn, calls: list[MeteredCall]) -> None:
    began, outcome = monotonic(), "answered"
    try:
        run_turn(claimed, calls=calls)
    except Fenced:
        outcome = "fenced"
        book_fenced(claimed, calls)
        log.info("turn_fenced", turn=str(claimed.turn_id), attempt=claimed.attempt)
    except TurnError as error:
        outcome = "failed"
        fail_turn(claimed, error, calls)
        log.warning(
            "turn_failed", turn=str(claimed.turn_id), attempt=claimed.attempt, code=error.code
        )
    metrics.attempted(outcome, left=claimed.deadline_seconds, seconds=monotonic() - began)


@due.handles(LEASE)
def recheck_lease(work: Work) -> None:
    leases.recheck_lease(work)


@due.handles(APPROVAL)
def expire(work: Work) -> None:
    approvals.expire(work)


@due.handles(INSIGHTS)
def plan_insights(work: Work) -> None:
    insights.plan(work)


@due.handles(SUMMARY)
def sum_up(work: Work) -> None:
    work_off(after_turn, work)


for _name, _kind in ONE_SHOTS.items():
    due.handles(_kind)(partial(work_off, one_shot(_name)))
