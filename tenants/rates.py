"""How often somebody may try something; counted in Redis, and nobody is refused without it."""

from hashlib import sha256
from typing import Any, cast

from tenants import quick_redis
from tenants.errors import TooManyRequests


def check_rate(what: str, who: str, *, limit: int, seconds: int) -> None:
    """Counts one try; raises `TooManyRequests` above the limit in a window of so many seconds.

    `who` is hashed: no address of a person stands in Redis.
    """
    counted = quick_redis.attempt(lambda client: _count(client, key_of(what, who), seconds))
    if counted is not None and counted[0] > limit:
        left = counted[1]
        raise TooManyRequests(
            f"Too many tries. Wait {_words(left)} and try again.", extra={"retry_after": left}
        )


def forget_rate(what: str, who: str) -> None:
    """Starts over, after a success."""
    quick_redis.attempt(lambda client: client.delete(key_of(what, who)))


def _count(client: Any, key: str, seconds: int) -> tuple[int, int]:
    """How many tries in the window, this one included, and how long it lasts yet."""
    with client.pipeline(transaction=True) as pipe:
        pipe.incr(key)
        pipe.expire(key, seconds, nx=True)
        pipe.ttl(key)
        tries, _, left = pipe.execute()
    return cast("int", tries), cast("int", left)


def key_of(what: str, who: str) -> str:
    return f"rate:{what}:{sha256(who.encode()).hexdigest()}"


def _words(seconds: int) -> str:
    return f"{seconds} seconds" if seconds < 120 else f"{-(-seconds // 60)} minutes"


def address_group(address: str) -> str:
    """One household or machine: the address, or the /64 of an IPv6 one."""
    return ":".join(address.split(":")[:4]) if ":" in address else address
