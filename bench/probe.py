"""Tasks that a benchmark adds to the real workers, beside the desk's own."""

import os
import time

import redis
from celery import shared_task

STARTED = "bench:started"


@shared_task(name="bench.started")
def started(*, sent: float) -> None:
    """Says how long it took to get here; one clock serves all processes of a machine."""
    seconds = time.monotonic() - sent
    _redis().rpush(STARTED, seconds)


@shared_task(name="bench.busy")
def busy(*, seconds: float) -> None:
    """Holds its place in the pool, as an export or a webhook that waits."""
    time.sleep(seconds)


def _redis() -> redis.Redis:
    return redis.Redis.from_url(os.environ["REDIS_URL"])
