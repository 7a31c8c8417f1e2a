"""Redis for what may be lost: an answer within 0.2 s or none, and a breaker when it is down.

Live events and rates go through here. What must not be lost is a row.
"""

import time
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import redis
import structlog
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

_PAUSE_SECONDS = 3.0
_STEP_SECONDS = 0.1  # one for connecting and one for the answer
_log = structlog.get_logger(__name__)
_Answer = TypeVar("_Answer")


class _Breaker:
    """After a failure nobody asks for a while: a silent Redis slows one post and not all."""

    def __init__(self) -> None:
        self.closed_again_at = 0.0

    def is_open(self) -> bool:
        return time.monotonic() < self.closed_again_at

    def trip(self) -> None:
        self.closed_again_at = time.monotonic() + _PAUSE_SECONDS


breaker = _Breaker()


def attempt(ask: Callable[[redis.Redis], _Answer]) -> _Answer | None:
    """What `ask` returns, or None when Redis does not answer in time. Never raises for that."""
    if breaker.is_open():
        return None
    try:
        return ask(_client())
    except (redis.RedisError, OSError) as error:
        breaker.trip()
        _log.warning("redis_unavailable", error=type(error).__name__)
        return None


def connection_options() -> dict[str, Any]:
    """No greetings beyond the needed ones: each would be one more wait on a silent server."""
    return {
        "decode_responses": True,
        "socket_connect_timeout": _STEP_SECONDS,
        "socket_timeout": _STEP_SECONDS,
        "retry": Retry(NoBackoff(), 0),
        "protocol": 2,
        "driver_info": None,
    }


@cache
def _client() -> redis.Redis:
    return redis.Redis.from_url(settings.LIVE_REDIS_URL, **connection_options())
