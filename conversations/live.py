"""Telling open pages that something happened. Redis carries ids and passing words; rows are truth.

Two channels: `live:<tenant>` for inboxes, `talk:<conversation>` for one conversation's streams.
Each web process holds one subscription, whatever the number of streams, and fans out inside.
"""

import asyncio
import contextlib
import json
import time
from collections import defaultdict, deque
from dataclasses import dataclass, field
from itertools import product
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

import redis.asyncio
import structlog
from django.conf import settings
from django.db import transaction
from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from tenants.quick_redis import attempt
from tenants.scoping import current_tenant_id

# What a slow reader may leave unread before passing words are dropped; rows are read again anyway.
PASSING_LIMIT = 256
RUNG_LIMIT = 500
_PING_SECONDS = 5.0
_RECONNECT_SECONDS = 1.0
_OWN_CHANNEL = "live:hub"
_log = structlog.get_logger(__name__)


def ring(conversation_id: UUID, *kinds: str) -> None:
    """After the commit, wake who looks at this conversation; `kinds` say what to read again.

    Kinds: lines, state, turn, edited, erased. Lost rings are made up for by the streams' own watch.
    """
    inbox = inbox_channel(current_tenant_id())
    notices = [json.dumps({"c": str(conversation_id), "k": kind}) for kind in kinds]

    def send() -> None:
        attempt(lambda client: _publish(client, (inbox, talk_channel(conversation_id)), *notices))

    transaction.on_commit(send, robust=True)


def publish(
    conversation_id: UUID, event: str, data: dict[str, Any], *, private: bool = False
) -> None:
    """A passing event, at once and outside of any transaction; members only when `private`.

    Never raises and never takes more than 0.2 s. It may be lost.
    """
    notice = json.dumps({"e": event, "d": data, "p": private})
    attempt(lambda client: _publish(client, (talk_channel(conversation_id),), notice))


def inbox_channel(tenant_id: UUID) -> str:
    return f"live:{tenant_id}"


def talk_channel(conversation_id: UUID) -> str:
    return f"talk:{conversation_id}"


def _publish(client: Any, channels: tuple[str, ...], *notices: str) -> None:
    with client.pipeline(transaction=False) as pipe:
        for channel, notice in product(channels, notices):
            pipe.publish(channel, notice)
        pipe.execute()


@dataclass(eq=False)
class Listener:
    """One stream's letter box: what to read again, and passing events. Bounded."""

    channel: str
    private: bool
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    rung: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    passing: deque[tuple[str, Any]] = field(default_factory=lambda: deque(maxlen=PASSING_LIMIT))
    # So much was rung that the reader had better read everything again.
    lost: bool = False

    def ring(self, conversation_id: str, *kinds: str) -> None:
        if len(self.rung) < RUNG_LIMIT:
            self.rung[conversation_id].update(kinds)
        else:
            self.lost = True
        self.wake.set()

    def lose(self) -> None:
        self.lost = True
        self.wake.set()

    def receive(self, notice: dict[str, Any]) -> None:
        if "k" in notice:
            self.ring(str(notice.get("c", "")), str(notice["k"]))
        elif "e" in notice and (self.private or not notice.get("p")):
            self.passing.append((str(notice["e"]), notice.get("d")))
            self.wake.set()

    def take(self) -> "Taken":
        taken = Taken(dict(self.rung), list(self.passing), self.lost)
        self.rung.clear()
        self.passing.clear()
        self.lost = False
        self.wake.clear()
        return taken


@dataclass(frozen=True)
class Taken:
    """What a listener had in its box."""

    rung: dict[str, set[str]]
    passing: list[tuple[str, Any]]
    lost: bool

    @property
    def kinds(self) -> set[str]:
        return set().union(*self.rung.values())


class Hub:
    """The process's one subscription. While it is not `healthy`, streams poll the database."""

    def __init__(self) -> None:
        self.healthy = False
        self._listeners: dict[str, list[Listener]] = defaultdict(list)
        self._pubsub: PubSub | None = None
        self._reader: asyncio.Task[None] | None = None

    async def add(self, listener: Listener) -> None:
        self._listeners[listener.channel].append(listener)
        if self._reader is None or self._reader.done():
            self._reader = asyncio.create_task(self._run())
        elif self._pubsub is not None and len(self._listeners[listener.channel]) == 1:
            with contextlib.suppress(RedisError, OSError):  # the reader meets the same error
                await self._pubsub.subscribe(listener.channel)

    async def remove(self, listener: Listener) -> None:
        others = self._listeners[listener.channel]
        others.remove(listener)
        if others:
            return
        del self._listeners[listener.channel]
        if not self._listeners:
            self._stop()
        elif self._pubsub is not None:
            with contextlib.suppress(RedisError, OSError):
                await self._pubsub.unsubscribe(listener.channel)

    def _stop(self) -> None:
        if self._reader is not None:
            self._reader.cancel()
            self._reader = None

    async def _run(self) -> None:
        while True:
            try:
                await self._subscribe_and_read()
            except Exception as error:  # noqa: BLE001 - whatever the client meets, try again
                if self.healthy:
                    _log.warning("live_redis_lost", error=type(error).__name__)
            finally:
                self.healthy, self._pubsub = False, None
            await asyncio.sleep(_RECONNECT_SECONDS)

    async def _subscribe_and_read(self) -> None:
        client = redis.asyncio.Redis.from_url(
            settings.LIVE_REDIS_URL, decode_responses=True, socket_connect_timeout=2, protocol=2
        )
        async with client, client.pubsub() as pubsub:
            async with asyncio.timeout(4):
                await pubsub.subscribe(_OWN_CHANNEL, *self._listeners)
            self._pubsub = pubsub
            await self._read(pubsub)

    async def _read(self, pubsub: PubSub) -> None:
        heard = time.monotonic()
        while True:
            message = await pubsub.get_message(timeout=_PING_SECONDS)
            if message is not None:
                heard, self.healthy = time.monotonic(), True
                self._deliver(message)
            elif time.monotonic() - heard > 2 * _PING_SECONDS:
                raise TimeoutError  # connected, but silent
            else:
                await pubsub.ping()

    def _deliver(self, message: dict[str, Any]) -> None:
        listeners = self._listeners.get(message["channel"] or "", ())
        if message["type"] == "subscribe":
            # Rings between the stream's first read and this moment went to nobody.
            for listener in listeners:
                listener.ring("", "lines", "state")
        elif message["type"] == "message":
            notice = _notice(message["data"])
            for listener in listeners:
                listener.receive(notice)


def _notice(data: str) -> dict[str, Any]:
    try:
        notice = json.loads(data)
    except ValueError:
        return {}
    return notice if isinstance(notice, dict) else {}


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def hub() -> Hub:
    """The hub of this process's event loop."""
    return _hubs.setdefault(asyncio.get_running_loop(), Hub())
