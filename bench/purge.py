"""Retention takes 1,000,000 messages while customers write: what posts feel, and the speed.

    python -m bench.purge [--quick]

The purge runs in a process of its own, as a bulk worker does. Beside it raw DELETE of the same kind
of rows, by the superuser and without triggers or keys: the limit.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from uuid import uuid4

from bench import cluster, harness, measure

cluster.enter()

from django.utils import timezone

from bench import seeding
from bench.measure import Size, Table, progress, timed
from conversations.models import Conversation, Customer, Message, RetentionPolicy, RetentionRun
from conversations.services.messages import post_customer_message, start_conversation
from tenants.models import Tenant
from tenants.scoping import tenant_scope

_LENGTH, _TALKS, _QUICK_TALKS = 20, 50_000, 2_500
_IDLE_POSTS, _QUICK_IDLE_POSTS = 500, 100
_PAUSE = 0.02
_OLD = "UPDATE conversations_conversation SET last_message_at = now() - interval '90 days'"
_RAW = (
    "DELETE FROM conversations_message WHERE tenant_id = %s",
    "DELETE FROM conversations_conversation WHERE tenant_id = %s",
)


def run(size: Size) -> list[Table]:
    count = _QUICK_TALKS if size.quick else _TALKS
    tenant, floor = seeding.tenant("purged"), seeding.tenant("floor")
    for each in (tenant, floor):
        seeding.talks(each, length=_LENGTH, count=count)
    with seeding.connect() as connection:
        connection.execute(_OLD)
    seeding.settle()
    rows = count * (_LENGTH + 1)
    raw = rows / _raw_delete(floor)
    idle, during, found = _measure(tenant, _QUICK_IDLE_POSTS if size.quick else _IDLE_POSTS)
    with tenant_scope(tenant.id):
        left = Message.objects.count() - len(idle) - len(during) - 1
        assert left == 0, left
        taken = sum(RetentionRun.objects.values_list("rows", flat=True))
    return [_posts(idle, during, count), _speed(taken, raw, found, rows)]


def _measure(tenant: Tenant, posts: int) -> tuple[list[float], list[float], dict[str, float]]:
    """Milliseconds of posts before the purge and during it, and what the worker says."""
    with tenant_scope(tenant.id):
        customer = Customer.objects.create(name="Bea", email="bea@example.org")
        talk = start_conversation(customer, client_key=uuid4(), text="Hello").conversation
        # All of a tenant at once: somebody else has seen it.
        RetentionPolicy.objects.create(
            name="All",
            days=30,
            state=RetentionPolicy.State.ACTIVE,
            starts_at=timezone.now(),
            approved_at=timezone.now(),
            pieces=Conversation.objects.count(),
        )
    _post(tenant, talk, times=20)
    progress("posts while nothing else happens")
    idle = _post(tenant, talk, times=posts)
    worker = subprocess.Popen(
        [sys.executable, "-m", "bench.purge_worker", str(tenant.id)], stdout=subprocess.PIPE
    )
    progress("posts during the purge")
    during: list[float] = []
    while worker.poll() is None:
        during += _post(tenant, talk, times=5)
    output, _ = worker.communicate()
    assert worker.returncode == 0
    # The talks of the warm-up are not among the figures.
    with tenant_scope(tenant.id):
        Message.objects.filter(conversation=talk, seq__lte=21).exclude(seq=1).delete()
    return idle, during, json.loads(output)


def _post(tenant: Tenant, talk: Conversation, *, times: int) -> list[float]:
    taken = []
    for _ in range(times):
        taken.append(timed(_one(tenant, talk)) * 1e3)
        time.sleep(_PAUSE)
    return taken


def _one(tenant: Tenant, talk: Conversation) -> Callable[[], None]:
    def post() -> None:
        with tenant_scope(tenant.id):
            post_customer_message(
                talk, customer=talk.customer, client_key=uuid4(), text="Where is my order?"
            )

    return post


def _raw_delete(tenant: Tenant) -> float:
    progress("raw DELETE")
    with seeding.connect() as connection:
        began = time.perf_counter()
        for statement in _RAW:
            connection.execute(statement, [tenant.id])
        return time.perf_counter() - began


def _posts(idle: list[float], during: list[float], count: int) -> Table:
    title = f"A customer's post while retention purges {count * _LENGTH:,} messages"
    table = Table(title, ["", "posts", "ms median", "p95", "max", "p95 to idle"])
    floor = measure.percentile(idle, 95)
    for name, times in (("idle", idle), ("during", during)):
        p50, p95 = (measure.percentile(times, percent) for percent in (50, 95))
        ratio = f"{p95 / floor:.1f}×"
        table.add(name, len(times), f"{p50:.1f}", f"{p95:.1f}", f"{max(times):.1f}", ratio)
    return table


def _speed(taken: int, raw: float, found: dict[str, float], rows: int) -> Table:
    speed = taken / found["purged"]
    table = Table("Purging", ["", "rows", "rows a second", "to raw"])
    table.add("raw DELETE, no triggers", f"{rows:,}", f"{raw:,.0f}", "1.00")
    table.add("retention round", f"{taken:,}", f"{speed:,.0f}", f"{speed / raw:.2f}")
    table.notes.append(
        f"Marking before it took {found['marked']:.1f} s. The round rests for a third of its time."
    )
    return table


if __name__ == "__main__":
    harness.main(__doc__, run)
