"""Passing messages over Redis: never waited for, never relied on."""

import time

import redis
import structlog
from django.conf import settings

log = structlog.get_logger(__name__)

TIMEOUT_SECONDS = 0.2
# After a failure this process leaves Redis alone for so long.
BREAKER_SECONDS = 2.0

_client: redis.Redis | None = None
_silent_until = 0.0


def send(channel: str, message: str) -> bool:
    """Publish at once. Never raises, takes 0.2 s at most; whoever missed it reads the rows."""
    global _client, _silent_until  # noqa: PLW0603 - one connection and one breaker a process
    if time.monotonic() < _silent_until:
        return False
    if _client is None:
        _client = redis.Redis.from_url(
            settings.LIVE_REDIS_URL,
            socket_timeout=TIMEOUT_SECONDS,
            socket_connect_timeout=TIMEOUT_SECONDS,
        )
    try:
        _client.publish(channel, message)
    except (redis.RedisError, OSError) as error:
        _silent_until = time.monotonic() + BREAKER_SECONDS
        log.warning("bus_silent", error=type(error).__name__)
        return False
    return True
