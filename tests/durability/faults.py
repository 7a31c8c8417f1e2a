"""A nemesis for real workers, and the invariants that must hold when it is done.

Run by the tests with some hundred turns, and longer by hand:

    ./desk test tests/durability/test_faults.py --turns 1000
"""

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import connection
from django.utils import timezone

from agents.models import ModelCall, Turn, TurnState
from conversations.models import Conversation, Customer, Handler, Message
from conversations.services.control import hand_back
from conversations.services.messages import post_customer_message, start_conversation
from tenants.models import DueWork, Member, Tenant
from tenants.scoping import tenant_scope
from tests.support.model_server import ModelServer, Reply
from tests.support.redis import empty_redis
from tests.support.stack import Stack

# Quick leases, so that a kill costs seconds and the test ends in a minute or two.
QUICK = {
    "TURNSTONE_TURN_LEASE_SECONDS": "3",
    "TURNSTONE_TURN_HEARTBEAT_SECONDS": "0.7",
    "TURNSTONE_SWEEP_SECONDS": "0.5",
    "TURNSTONE_TURN_RETRY_BASE_SECONDS": "0.2",
}


def model() -> ModelServer:
    """Says which line it answers: `re: <the customer's last line>`."""

    def script(body: dict[str, Any]) -> Reply:
        said = [line["content"] for line in body["messages"] if line["role"] == "user"]
        last = said[-1] if said else ""
        text = last if isinstance(last, str) else last[-1].get("text", "")
        return Reply(f"re: {text}", seconds=random.uniform(0.02, 0.25))

    return ModelServer(script)


@dataclass
class Talk:
    """A customer who writes a line, waits for its answer, and writes the next."""

    tenant: Tenant
    customer: Customer
    lines: int
    teammate: Member
    conversation: Conversation | None = None
    said: list[str] = field(default_factory=list)
    given_up: int = 0

    def post_next(self) -> None:
        """One in ten lines is posted twice, as a bad network would."""
        text = f"{self.tenant.slug} {self.customer.id.hex[:8]} line {len(self.said)}"
        key = uuid4()
        for _ in range(2 if random.random() < 0.1 else 1):
            self._post(text, key)
        self.said.append(text)

    def _post(self, text: str, key: UUID) -> None:
        with tenant_scope(self.tenant.id):
            if not self.said:
                posted = start_conversation(self.customer, client_key=key, text=text)
                self.conversation = posted.conversation
            else:
                assert self.conversation is not None
                post_customer_message(
                    self.conversation, customer=self.customer, client_key=key, text=text
                )

    def is_answered(self) -> bool:
        if self.conversation is None:
            return True
        with tenant_scope(self.tenant.id):
            row = Conversation.objects.get(pk=self.conversation.pk)
            busy = Turn.objects.filter(conversation=row, state__in=["queued", "running"]).exists()
            return not busy and not row.is_unanswered

    def go_on(self) -> None:
        """Gives the talk back to the agent, as the team would, when a turn was given up for it.

        The nemesis may strike all three attempts of one turn. Then the line must stand with the
        team, and the agent must still answer it once, should it be asked to.
        """
        if self.conversation is None:
            return
        with tenant_scope(self.tenant.id):
            row = Conversation.objects.get(pk=self.conversation.pk)
            if row.handler == Handler.TEAM and row.is_unanswered:
                self.given_up += 1
                hand_back(row, by=self.teammate)


# How often each fault strikes, for every answered line: about what a bad day of a large desk has
# in a year, and rare enough that three attempts in a row are hardly ever lost.
FAULTS = {"kill_child": 0.12, "freeze_child": 0.05, "flush": 0.03, "kill_worker": 0.02,
          "kill_beat": 0.01}  # fmt: skip


@dataclass
class Nemesis:
    """Kills, freezes and flushes, driven by progress: a slow machine gets no more of them."""

    stack: Stack
    counts: Counter[str] = field(default_factory=Counter)
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))

    def strike(self) -> None:
        """Perhaps a fault, beside the test: lines are posted while a worker is down."""
        for name, chance in FAULTS.items():
            if random.random() < chance:
                self.counts[name] += 1
                self.pool.submit(getattr(self, name)).add_done_callback(_raise)

    def rest(self) -> None:
        """No more faults, and all of them over."""
        self.pool.shutdown(wait=True)

    def kill_child(self) -> None:
        self._signal(self._a_child(), signal.SIGKILL)

    def kill_worker(self) -> None:
        self.stack.kill("turns")
        self.stack.start("turns")

    def freeze_child(self) -> None:
        """Longer than the lease: the late write of the frozen worker must be refused."""
        child = self._a_child()
        self._signal(child, signal.SIGSTOP)
        threading.Timer(4.0, self._signal, [child, signal.SIGCONT]).start()

    def flush(self) -> None:
        empty_redis()

    def kill_beat(self) -> None:
        self.stack.restart("beat")

    def _a_child(self) -> int | None:
        children = children_of(self.stack.pid("turns"))
        return random.choice(children) if children else None

    def _signal(self, pid: int | None, number: int) -> None:
        if pid is None:
            return
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            self.counts["already_gone"] += 1


def children_of(pid: int) -> list[int]:
    """The pool's processes, read from the kernel."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(child) for child in task.read_text().split()]
    return found


def _raise(done: Future[None]) -> None:
    done.result()


def drive(talks: list[Talk], *, after_each: Callable[[], None], seconds: float) -> None:
    """Every talk to its last line, each line after the answer to the one before."""
    deadline = time.monotonic() + seconds
    open_talks = list(talks)
    while open_talks:
        assert time.monotonic() < deadline, state_of(open_talks)
        for talk in open_talks:
            talk.go_on()
        for talk in [one for one in open_talks if one.is_answered()]:
            if talk.said:
                after_each()
            if len(talk.said) < talk.lines:
                talk.post_next()
            else:
                open_talks.remove(talk)
        time.sleep(0.05)


def state_of(talks: list[Talk]) -> str:
    states: Counter[str] = Counter()
    for talk in talks:
        with tenant_scope(talk.tenant.id):
            states.update(
                Turn.objects.filter(conversation=talk.conversation).values_list("state", flat=True)
            )
    due = list(DueWork.objects.values_list("kind", "due_at", "sent_at", "tries")[:10])
    return f"{len(talks)} talks unanswered; turns {dict(states)}; due {due}; now {timezone.now()}"


ENDED = {TurnState.SUCCEEDED, TurnState.CANCELLED}
# Struck at each of its attempts, and only then: by default three.
GIVEN_UP = (TurnState.FAILED, "worker_lost", settings.TURN_MAX_ATTEMPTS)


def violations(talks: list[Talk]) -> list[str]:
    """What the checker finds wrong; empty when nothing was lost, doubled, mixed or reordered."""
    found: list[str] = []
    for talk in talks:
        assert talk.conversation is not None
        with tenant_scope(talk.tenant.id):
            rows = list(
                Message.objects.filter(conversation=talk.conversation)
                .order_by("seq")
                .values_list("role", "text")
            )
            turns = list(
                Turn.objects.filter(conversation=talk.conversation).values_list(
                    "state", "error_code", "attempt"
                )
            )
        if turns.count(GIVEN_UP) != talk.given_up:
            found.append(f"{talk.customer.id}: given up {talk.given_up} times, but {turns}")
        unfinished = [one for one in turns if one[0] not in ENDED and one != GIVEN_UP]
        found += [f"{talk.customer.id}: turn {one}" for one in unfinished]
        wanted = [
            part for line in talk.said for part in (("customer", line), ("agent", f"re: {line}"))
        ]
        if rows != wanted:
            found.append(f"{talk.customer.id}: {rows} instead of {wanted}")
    return found


def calls_per_turn(tenants: list[Tenant], requests: int) -> float:
    """Model requests for each succeeded turn; killed attempts count, for the server saw them."""
    succeeded = 0
    for tenant in tenants:
        with tenant_scope(tenant.id):
            succeeded += Turn.objects.filter(state=TurnState.SUCCEEDED).count()
            assert ModelCall.objects.exists()
    connection.close()
    return requests / succeeded
