"""Counters of the whole desk, for operators: in Redis, since processes come and go.

They name kinds and states, never a tenant. They may be lost with Redis, as counters may: whoever
reads them looks at how they grow.
"""

from collections.abc import Mapping

from django.conf import settings
from django.db import transaction
from redis import Redis

from tenants import quick_redis

KEY = "desk:metrics"
# Between the parts of a counter's name: what is counted, then the values of its labels.
SEPARATOR = "|"


def add(changes: Mapping[str, float]) -> None:
    """Add to counters, in one round trip; to none where nobody reads them. Never raises."""
    if settings.METRICS_TOKEN and changes:
        quick_redis.attempt(lambda redis: _add(redis, changes))


def add_after_commit(changes: Mapping[str, float]) -> None:
    """The same, once it is true."""
    if settings.METRICS_TOKEN:
        transaction.on_commit(lambda: add(changes), robust=True)


def read() -> dict[str, float] | None:
    """Every counter by its name; None when Redis does not answer."""
    found = quick_redis.attempt(lambda redis: redis.hgetall(KEY))
    return None if found is None else {str(name): float(value) for name, value in found.items()}


def named(what: str, *labels: object) -> str:
    return SEPARATOR.join([what, *map(str, labels)])


def _add(redis: Redis, changes: Mapping[str, float]) -> None:
    pipe = redis.pipeline(transaction=False)
    for name, number in changes.items():
        pipe.hincrbyfloat(KEY, name, float(number))
    pipe.execute()
