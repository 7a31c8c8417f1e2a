"""How often one may knock. Counts are kept in Redis and lost with it: then nobody is refused."""

from math import ceil

from redis import Redis

from tenants.errors import TooManyRequests
from tenants.quick_redis import attempt

_WINDOW_SECONDS = 60


def spend(kind: str, whose: str, *, limit: int) -> None:
    """One of `limit` a minute, counted from the first; refuses with the time to wait.

    A window that began with the first knock never refuses one that the stated rate allows.
    """
    name = f"rate:{kind}:{whose}"

    def count(client: Redis) -> tuple[int, int]:
        with client.pipeline(transaction=True) as pipe:
            pipe.set(name, 0, ex=_WINDOW_SECONDS, nx=True)
            pipe.incr(name)
            pipe.pttl(name)
            _, used, left = pipe.execute()
        return int(used), int(left)

    used, left = attempt(count) or (0, 0)
    if used > limit:
        seconds = max(1, ceil(left / 1000))
        raise TooManyRequests(
            f"That was more than {limit} a minute. Please try again in {seconds} seconds.",
            extra={"retry_after": seconds},
        )


def address_group(address: str) -> str:
    """One household or machine: the address, or the /64 of an IPv6 one."""
    return ":".join(address.split(":")[:4]) if ":" in address else address
