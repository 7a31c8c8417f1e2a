"""Who has a stream open in this process, and the watch over them.

Every few seconds one short scope a tenant, whatever the number of streams, asks the database which
passes still hold and which conversations have moved on. So an ended session ends its streams, and
what Redis loses is late and never lost.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Collection
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Self
from uuid import UUID
from weakref import WeakKeyDictionary

import structlog
from django.contrib.sessions.models import Session
from django.db.models.functions import Now

from conversations import live
from conversations.models import Conversation
from conversations.services.sessions import tokens_in_use
from conversations.streams import Pass, Seat, frames, in_short_scope, release_request_thread
from tenants.models import IN_THE_TEAM, ApiKey, Member, Tenant

WATCH_SECONDS = 4
# Open streams of one customer in one process; the oldest gives way.
CUSTOMER_STREAMS = 2
_log = structlog.get_logger(__name__)


class House:
    """All seats of one event loop."""

    def __init__(self) -> None:
        self._seats: list[Seat] = []
        self._watching: asyncio.Task[None] | None = None

    async def open(self, seat: Seat) -> None:
        customer = seat.opened_with.customer_id
        own = [other for other in self._seats if other.opened_with.customer_id == customer]
        if customer is not None and len(own) >= CUSTOMER_STREAMS:
            own[0].end()
        self._seats.append(seat)
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch())
        await live.hub().add(seat.listener)

    async def close(self, seat: Seat) -> None:
        self._seats.remove(seat)
        if not self._seats and self._watching is not None:
            self._watching.cancel()
            self._watching = None
        await live.hub().remove(seat.listener)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            seats = defaultdict(list)
            for seat in self._seats:
                seats[seat.tenant.id].append(seat)
            for tenant_id, group in seats.items():
                await self._look_after(tenant_id, group)

    async def _look_after(self, tenant_id: UUID, seats: list[Seat]) -> None:
        try:
            facts = await in_short_scope(tenant_id, partial(Facts.ask, tenant_id, seats))
        except Exception:  # noqa: BLE001 - an error of any kind must not end the watch
            # Whatever it is, the watch goes on: without it an ended session would stay open. The
            # next round may find the database back.
            _log.exception("watch_failed")
            return
        for seat in seats:
            _look_after(seat, facts)


@dataclass(frozen=True, slots=True)
class Facts:
    """What the database says about the passes and conversations of one tenant's streams."""

    tenant_is_active: bool
    tokens: set[UUID]
    members: dict[UUID, Member]
    api_keys: set[UUID]
    sessions: set[str]
    last_seqs: dict[UUID, int]

    @classmethod
    def ask(cls, tenant_id: UUID, seats: Collection[Seat]) -> Self:
        passes = [seat.opened_with for seat in seats]
        members = {opened.member.id for opened in passes if opened.member}
        keys = {opened.api_key_id for opened in passes if opened.api_key_id}
        logins = {opened.session_key for opened in passes if opened.session_key}
        tokens = {opened.token_id for opened in passes if opened.token_id}
        talks = {seat.conversation_id for seat in seats if seat.conversation_id}
        return cls(
            tenant_is_active=Tenant.objects.filter(
                pk=tenant_id, status=Tenant.Status.ACTIVE
            ).exists(),
            tokens=set(tokens_in_use().filter(pk__in=tokens).values_list("id", flat=True)),
            members=Member.objects.filter(IN_THE_TEAM).in_bulk(members),
            api_keys=set(
                ApiKey.objects.filter(pk__in=keys, revoked_at__isnull=True).values_list(
                    "id", flat=True
                )
            ),
            sessions=set(
                Session.objects.filter(pk__in=logins, expire_date__gt=Now()).values_list(
                    "session_key", flat=True
                )
            ),
            last_seqs=dict(Conversation.objects.filter(pk__in=talks).values_list("id", "last_seq")),
        )

    def admit(self, opened_with: Pass) -> bool:
        if not self.tenant_is_active:
            return False
        if opened_with.member is None:
            return opened_with.token_id in self.tokens
        return opened_with.member.id in self.members and (
            opened_with.api_key_id in self.api_keys or opened_with.session_key in self.sessions
        )


def _look_after(seat: Seat, facts: Facts) -> None:
    if not facts.admit(seat.opened_with):
        seat.end()
        return
    member = seat.opened_with.member
    if member is not None:
        member.role = facts.members[member.id].role
    if seat.conversation_id is None:
        if not live.hub().healthy:
            seat.listener.lose()
    elif not live.hub().healthy or facts.last_seqs.get(seat.conversation_id) != seat.known_seq:
        seat.listener.ring(str(seat.conversation_id), "lines", "state")


_houses: WeakKeyDictionary[asyncio.AbstractEventLoop, House] = WeakKeyDictionary()


def house() -> House:
    """The house of this process's event loop."""
    return _houses.setdefault(asyncio.get_running_loop(), House())


async def seated(seat: Seat) -> AsyncIterator[str]:
    """The stream's text while its seat is in the house."""
    release_request_thread()
    await house().open(seat)
    try:
        async with aclosing(frames(seat)) as texts:
            async for text in texts:
                yield text
    finally:
        await house().close(seat)
