"""From a customer's post to the first streamed byte, through the real processes.

    python -m bench.pipeline [--quick]

The model is instant, so what is left is the desk: storing the post, the doorbell, the claim, the
load, the first words on Redis, and the browser's byte.
"""

import asyncio
import json
import statistics
import time
from uuid import UUID, uuid4

from bench import cluster, harness, measure

DATA = cluster.enter()

import redis
import redis.asyncio
from celery import current_app
from django.conf import settings

from bench import probe, seeding, stack
from bench.measure import Size, Table
from bench.stack import Visitor
from bench.visitors import visitors
from conversations.live import talk_channel

_BULK_SECONDS = 0.4
_PARTS = ("POST answered", "claimed", "first words published", "browser has them", "whole answer")


def run(size: Size) -> list[Table]:
    with stack.running(DATA, "web", "turns", "bulk", "sweep", "beat") as web:
        return [_doorbell(size), _exchange(web.port, size)]


def _doorbell(size: Size) -> Table:
    table = Table(
        "delay() to task start, queue `turns`", ["while", "ms median", "p95", "max", "goal p95"]
    )
    count = 20 if size.quick else 150
    _starts(10)
    for name, flood in (("idle", 0), ("bulk work fills its queue", count)):
        for _ in range(flood):
            current_app.send_task(
                "bench.busy", kwargs={"seconds": _BULK_SECONDS}, queue="bulk", ignore_result=True
            )
        measure.progress(f"doorbell, {name}")
        ms = [seconds * 1e3 for seconds in _starts(count)]
        figures = (statistics.median(ms), measure.percentile(ms, 95), max(ms))
        table.add(name, *(f"{one:.1f}" for one in figures), "≤ 4")
    return table


def _starts(count: int) -> list[float]:
    """Seconds from before the send to the first line of the task, one at a time."""
    found = []
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        for _ in range(count):
            sent = {"sent": time.monotonic()}
            current_app.send_task("bench.started", kwargs=sent, queue="turns", ignore_result=True)
            item = client.blpop([probe.STARTED], timeout=30)
            assert isinstance(item, list | tuple)
            found.append(float(item[1]))
            time.sleep(0.02)
    return found


def _exchange(port: int, size: Size) -> Table:
    count = 10 if size.quick else 80
    people = visitors(seeding.tenant("pipeline"), port, count + 5)
    measured = asyncio.run(_all(people))[5:]
    table = Table(
        "From the customer's post to the first streamed byte, instant model",
        ["moment", "ms after the post, median", "p95", "this part, median"],
    )
    last = [0.0] * len(measured)
    for place, name in enumerate(_PARTS):
        at = [one[place] * 1e3 for one in measured]
        part = statistics.median(now - then for now, then in zip(at, last, strict=True))
        figures = (statistics.median(at), measure.percentile(at, 95))
        table.add(name, *(f"{one:.1f}" for one in figures), f"{part:+.1f}")
        last = at
    table.notes += [
        "The doorbell rings before the POST is answered: the claim may come first.",
        "Claimed: `turn.started_at`, the database's clock. The model is offline.",
    ]
    return table


async def _all(people: list[tuple[Visitor, UUID]]) -> list[list[float]]:
    found = []
    for number, (visitor, talk) in enumerate(people):
        if number % 20 == 0:
            measure.progress(f"exchange {number + 1} of {len(people)}")
        found.append(await _one(visitor, talk))
    return found


async def _one(visitor: Visitor, talk: UUID) -> list[float]:
    """The moments of one exchange, in seconds after the post was sent."""
    stream = await visitor.stream(talk)
    await stream.until("state")
    client = redis.asyncio.Redis.from_url(settings.LIVE_REDIS_URL)
    async with client, client.pubsub() as subscription, asyncio.timeout(30):
        await subscription.subscribe(talk_channel(talk))
        published = asyncio.create_task(_first_delta(subscription))
        answered = asyncio.create_task(_arrivals(stream))
        body = {"client_key": str(uuid4()), "text": "Hello!"}
        began = time.time()
        await visitor.post(f"/widget/v1/conversations/{talk}/messages", body)
        stored = time.time()
        first, (byte, whole) = await published, await answered
    stream.close()
    claimed = stack.database_seconds(
        "SELECT started_at FROM agents_turn WHERE conversation_id = %s", [talk]
    )
    return [moment - began for moment in (stored, claimed, first, byte, whole)]


async def _first_delta(subscription: "redis.asyncio.client.PubSub") -> float:
    async for message in subscription.listen():
        if message["type"] == "message" and json.loads(message["data"]).get("e") == "delta":
            return time.time()
    raise RuntimeError("The subscription ended.")


async def _arrivals(stream: stack.Stream) -> tuple[float, float]:
    """When the first words came, and when the stored answer did: the second message."""
    first, messages = 0.0, 0
    async for event in stream.events():
        first = first or (time.time() if event == "delta" else 0.0)
        messages += event == "message"
        if messages == 2:
            return first or time.time(), time.time()
    raise RuntimeError("The stream ended before the answer.")


if __name__ == "__main__":
    harness.main(__doc__, run)
