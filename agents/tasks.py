"""The agent's work that is due: each handler loads, and makes one call."""

import os
import socket

import structlog

from agents.runtime.oneshot import propose_title
from agents.runtime.runner import run_turn
from agents.services import approvals, leases, turns
from agents.services.contract import Fenced, TurnError
from agents.services.failing import book_fenced, fail_turn
from agents.services.queueing import APPROVAL, LEASE, TURN
from agents.services.titles import TITLE
from agents.services.usage import MeteredCall
from tenants import due
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
    try:
        run_turn(claimed, calls=calls)
    except Fenced:
        book_fenced(claimed, calls)
        log.info("turn_fenced", turn=str(claimed.turn_id), attempt=claimed.attempt)
    except TurnError as error:
        fail_turn(claimed, error, calls)
        log.warning(
            "turn_failed", turn=str(claimed.turn_id), attempt=claimed.attempt, code=error.code
        )


@due.handles(LEASE)
def recheck_lease(work: Work) -> None:
    leases.recheck_lease(work)


@due.handles(APPROVAL)
def expire(work: Work) -> None:
    approvals.expire(work)


@due.handles(TITLE)
def title(work: Work) -> None:
    """A title is a courtesy: one try, and none when the model does not answer."""
    try:
        propose_title(work.ref_id, tenant_id=work.tenant_id)
    except TurnError as error:
        log.warning("title_failed", code=error.code)
    finally:
        with work.scope():
            work.done()
