"""The scanner's eyes in Redis: every key of every type in every database, name and values."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import redis
from django.conf import settings

from conversations.privacy.needles import Needles
from conversations.privacy.report import StoreScan

_PIECE = 500


def redis_servers(wanted: Needles) -> list[StoreScan]:
    """The broker's server and, where it is another, that of the live events."""
    urls = dict.fromkeys([settings.REDIS_URL, settings.LIVE_REDIS_URL])
    names = ["redis"] if len(urls) == 1 else ["redis of the broker", "redis of live events"]
    return [_server(name, url, wanted) for name, url in zip(names, urls, strict=True)]


def _server(name: str, url: str, wanted: Needles) -> StoreScan:
    found = StoreScan(name)
    planted = f"scan-control-{uuid4().hex}"
    with redis.Redis.from_url(url, decode_responses=False) as client:
        client.set(f"desk:{planted}", planted, ex=60)
        try:
            for number in _databases(client, url):
                with _database(url, number) as own:
                    _keys(own, number, found, wanted, planted)
        finally:
            client.delete(f"desk:{planted}")
    return found


def _keys(client: Any, number: int, found: StoreScan, wanted: Needles, planted: str) -> None:
    known = Needles((planted,), ())
    for key in client.scan_iter(count=_PIECE):
        name = key.decode(errors="replace")
        found.read += 1
        for text in (name, *_values(client, key)):
            found.control |= text != name and known.are_in(text)
            if wanted.are_in(text):
                found.hit(f"db{number}:{_kind(name)}")
                break


def _kind(name: str) -> str:
    """The first part of a key: its name may hold what was looked for, and a report must not."""
    return name.split(":", 1)[0][:40] if ":" in name else "(a key)"


def _databases(client: Any, url: str) -> list[int]:
    spaces = client.info("keyspace")
    return sorted(int(name.removeprefix("db")) for name in spaces if name.startswith("db"))


def _database(url: str, number: int) -> Any:
    """The same server, another database: the number in the address would win, so it is set here."""
    client = redis.Redis.from_url(url, decode_responses=False)
    client.connection_pool.connection_kwargs["db"] = number
    return client


def _values(client: Any, key: bytes) -> Iterator[str]:
    kind = client.type(key).decode()
    for value in _READERS.get(kind, _unknown)(client, key):
        yield value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _string(client: Any, key: bytes) -> Iterator[Any]:
    value = client.get(key)
    if value is not None:
        yield value


def _list(client: Any, key: bytes) -> Iterator[Any]:
    start = 0
    while piece := client.lrange(key, start, start + _PIECE - 1):
        yield from piece
        start += _PIECE


def _hash(client: Any, key: bytes) -> Iterator[Any]:
    for field, value in client.hscan_iter(key, count=_PIECE):
        yield field
        yield value


def _set(client: Any, key: bytes) -> Iterator[Any]:
    yield from client.sscan_iter(key, count=_PIECE)


def _sorted_set(client: Any, key: bytes) -> Iterator[Any]:
    for member, _ in client.zscan_iter(key, count=_PIECE):
        yield member


def _stream(client: Any, key: bytes) -> Iterator[Any]:
    last = b"-"
    while entries := client.xrange(key, min=last, count=_PIECE):
        for entry_id, fields in entries:
            last = b"(" + entry_id
            for field, value in fields.items():
                yield field
                yield value


def _unknown(client: Any, key: bytes) -> Iterator[Any]:
    """Of a module's type: its dump is all that can be read."""
    yield client.dump(key) or b""


_READERS = {
    "string": _string,
    "list": _list,
    "hash": _hash,
    "set": _set,
    "zset": _sorted_set,
    "stream": _stream,
}
