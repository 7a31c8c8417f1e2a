"""A thousand open streams in one web process: memory of each, and time from publish to byte.

python -m bench.streams [--quick]
"""

import asyncio
import random
import resource
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from uuid import UUID

from bench import cluster, harness, measure

DATA = cluster.enter()

from asgiref.sync import sync_to_async

from bench import seeding, stack
from bench.measure import Size, Table
from bench.stack import Stream, Visitor, Web
from bench.visitors import visitors
from conversations import live

_STREAMS, _QUICK_STREAMS, _AT_ONCE = 1_000, 100, 20
_SETTLE_SECONDS = 5.0
_RANDOM = random.Random(7)


def run(size: Size) -> list[Table]:
    count = _QUICK_STREAMS if size.quick else _STREAMS
    _raise_the_limit(count * 2 + 200)
    with stack.running(DATA, "web") as web:
        people = visitors(seeding.tenant("streams"), web.port, count + 20)
        return [asyncio.run(_measured(web, people, size))]


def _raise_the_limit(files: int) -> None:
    """Of open files, for this process and for the web process that it starts."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < files:
        raise SystemExit(f"This account may open {hard} files; {files} are needed.")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, files), hard))


async def _measured(web: Web, people: Sequence[tuple[Visitor, UUID]], size: Size) -> Table:
    await _open(people[:20])  # what the first streams load is not theirs
    await asyncio.sleep(1)
    before = web.resident_bytes()
    seats = await _open(people[20:])
    await asyncio.sleep(_SETTLE_SECONDS)
    each = (web.resident_bytes() - before) / len(seats)
    to_one = [await _one(seat) for seat in _RANDOM.choices(seats, k=20 if size.quick else 300)]
    to_all = [await _burst(seats) for _ in range(3)]
    for seat in seats:
        seat.stream.close()
    title = f"{len(seats):,} open streams, one web process"
    table = Table(title, ["what", "median", "p95", "goal"])
    table.add("memory of a stream", f"{each / 1024:.0f} KiB", "", "≤ 60 KiB")
    every = list(chain.from_iterable(to_all))
    _add(table, "publish to the byte of one stream", to_one, "p95 ≤ 2 ms")
    _add(table, "a publish for each of them at once", every, "")
    opened = [seat.opened for seat in seats]
    _add(table, f"GET to the first byte, {_AT_ONCE} at once", opened, "")
    return table


def _add(table: Table, name: str, seconds: Sequence[float], goal: str) -> None:
    median, p95 = (measure.percentile(seconds, part) * 1e3 for part in (50, 95))
    table.add(name, f"{median:.1f} ms", f"{p95:.1f} ms", goal)


@dataclass
class _Seat:
    """An open stream, and when the passing event that it waits for arrived."""

    talk: UUID
    stream: Stream
    opened: float
    heard: asyncio.Queue[float] = field(default_factory=asyncio.Queue)

    async def listen(self) -> None:
        async for event in self.stream.events():
            if event == "typing":
                self.heard.put_nowait(time.perf_counter())


_listening: set[asyncio.Task[None]] = set()


async def _open(people: Sequence[tuple[Visitor, UUID]]) -> list[_Seat]:
    turn = asyncio.Semaphore(_AT_ONCE)

    async def one(visitor: Visitor, talk: UUID) -> _Seat:
        async with turn:
            began = time.perf_counter()
            stream = await visitor.stream(talk)
            seat = _Seat(talk, stream, time.perf_counter() - began)
            await stream.until("state")
        _listening.add(asyncio.create_task(seat.listen()))
        return seat

    measure.progress(f"opening {len(people):,} streams")
    return list(await asyncio.gather(*(one(*person) for person in people)))


async def _one(seat: _Seat) -> float:
    began = time.perf_counter()
    await sync_to_async(live.publish)(seat.talk, "typing", {"by": "agent"})
    async with asyncio.timeout(10):
        return await seat.heard.get() - began


async def _burst(seats: Sequence[_Seat]) -> list[float]:
    """Seconds from the first publish until each stream has its own."""

    def publish() -> None:
        for seat in seats:
            live.publish(seat.talk, "typing", {"by": "agent"})

    began = time.perf_counter()
    await sync_to_async(publish)()
    async with asyncio.timeout(30):
        return [await seat.heard.get() - began for seat in seats]


if __name__ == "__main__":
    harness.main(__doc__, run)
