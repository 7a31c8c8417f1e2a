"""Server-sent events of one conversation or one inbox, from rows, for any length of gap.

A stream holds no thread, transaction or connection while it idles: it reads in short scopes on a
small pool of threads of its own.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar, cast
from uuid import UUID

from asgiref.sync import SyncToAsync, sync_to_async
from django.db import connection
from django.db.models import Q
from rest_framework.utils.encoders import JSONEncoder

from conversations import shapes
from conversations.live import Listener, Taken
from conversations.models import Conversation, Message
from conversations.selectors.files import Files, files_beside
from conversations.selectors.inbox import counts, visible_to
from conversations.selectors.lines import Line, lines, said, state_of
from tenants.models import Member, Tenant
from tenants.scoping import tenant_scope

LONGEST_SECONDS = 600
PING_SECONDS = 15
_PAGE = 100
_EDITED_ON_RETURN = 50
_INBOX_PAUSE_SECONDS = 0.3
_threads = ThreadPoolExecutor(max_workers=4, thread_name_prefix="stream")
_Answer = TypeVar("_Answer")


async def in_thread(read: Callable[[], _Answer]) -> _Answer:
    """`read()` in a thread of the streams' pool."""

    def work() -> _Answer:
        try:
            return read()
        finally:
            connection.close()  # back to the pool: an idle stream holds none

    answer: _Answer = await sync_to_async(work, thread_sensitive=False, executor=_threads)()
    return answer


async def in_short_scope(tenant_id: UUID, read: Callable[[], _Answer]) -> _Answer:
    """`read()` inside the tenant's scope, in such a thread."""

    def work() -> _Answer:
        with tenant_scope(tenant_id):
            return read()

    return await in_thread(work)


def release_request_thread() -> None:
    """Ends the thread in which the middleware ran for this request.

    asgiref keeps one for each request until its answer ends: for a stream, ten minutes of nothing.
    """
    context = SyncToAsync.thread_sensitive_context.get(None)
    if context is None:
        return
    executor = SyncToAsync.context_to_thread_executor.pop(context, None)
    if executor is not None:
        executor.shutdown(wait=False)


@dataclass(frozen=True, slots=True)
class Pass:
    """What a stream was opened with; the watch asks whether it still holds."""

    member: Member | None = None
    api_key_id: UUID | None = None
    session_key: str | None = None
    token_id: UUID | None = None
    customer_id: UUID | None = None


@dataclass(eq=False)
class Seat:
    """An open stream: whose it is, where it stands, and its letter box."""

    tenant: Tenant
    opened_with: Pass
    listener: Listener
    conversation_id: UUID | None = None  # None: an inbox
    seq: int = 0
    known_seq: int = 0
    edits: dict[int, datetime | None] = field(default_factory=dict)
    state: dict[str, Any] | None = None
    ended: bool = False
    opened_at: float = field(default_factory=time.monotonic)

    def end(self) -> None:
        self.ended = True
        self.listener.wake.set()

    @property
    def is_over(self) -> bool:
        return self.ended or time.monotonic() - self.opened_at > LONGEST_SECONDS


async def frames(seat: Seat) -> AsyncGenerator[str]:
    """The stream's text: what was missed, the state, then what is new, until the seat is over."""
    yield "retry: 2000\n\n"
    taken = Taken({}, [], lost=True)
    while not seat.is_over:
        for event, data in taken.passing:
            yield frame(event, data)
        async for text in _rows(seat, taken):
            yield text
        if not await _something_for(seat):
            yield frame("ping", {})
        taken = seat.listener.take()
    if seat.ended:
        # The session ended, or newer streams took its place: coming back at once helps nobody.
        yield "retry: 15000\n\n"


def frame(event: str, data: Any, *, seq: int | None = None) -> str:
    head = f"id: {seq}\n" if seq is not None else ""
    text = json.dumps(data, cls=JSONEncoder, ensure_ascii=False, separators=(",", ":"))
    return f"{head}event: {event}\ndata: {text}\n\n"


async def _something_for(seat: Seat) -> bool:
    if seat.conversation_id is None:
        await asyncio.sleep(_INBOX_PAUSE_SECONDS)  # a burst is one round of reading
    try:
        async with asyncio.timeout(PING_SECONDS):
            await seat.listener.wake.wait()
    except TimeoutError:
        return False
    return True


async def _rows(seat: Seat, taken: Taken) -> AsyncGenerator[str]:
    """Reads what the notices say has changed, page by page, until nothing is left."""
    if not (taken.rung or taken.lost):
        return
    read = _read_conversation if seat.conversation_id else _read_inbox
    more = True
    while more and not seat.is_over:
        found, more = await in_short_scope(seat.tenant.id, lambda: read(seat, taken))
        for text in found:
            yield text


def _read_conversation(seat: Seat, taken: Taken) -> tuple[list[str], bool]:
    rows = Conversation.objects.select_related("assignee__user")
    conversation = rows.filter(id=cast("UUID", seat.conversation_id)).first()
    if conversation is None:
        seat.end()
        return [frame("erased", {"conversation": seat.conversation_id})], False
    private = seat.listener.private
    returning = seat.seq if taken.lost else 0
    page = lines(conversation.id, private=private, after_seq=seat.seq, limit=_PAGE)
    files = files_beside(page)
    found = [_line_frame(seat, line, files) for line in page]
    if page:
        seat.seq = page[-1].seq
    if len(page) == _PAGE:
        return found, True
    seat.known_seq = max(seat.seq, conversation.last_seq)
    if taken.lost or "edited" in taken.kinds:
        found += _edited_frames(seat, up_to=returning or seat.seq)
    return found + _state_frames(seat, conversation, taken), False


def _line_frame(seat: Seat, line: Line, files: Files) -> str:
    data = shapes.line_json(line, seat.tenant, private=seat.listener.private, files=files)
    if isinstance(line, Message):
        seat.edits[line.seq] = _changed_at(line)
    return frame(data["kind"], data, seq=line.seq)


def _changed_at(line: Message) -> datetime | None:
    return line.superseded_at or line.edited_at


def _edited_frames(seat: Seat, *, up_to: int) -> list[str]:
    """Messages with new words since this stream sent them, without an `id`: their place is old."""
    place = Q(conversation_id=seat.conversation_id, seq__lte=up_to)
    place &= Q(edited_at__isnull=False) | Q(superseded_at__isnull=False)
    edited = said(place, superseded=True).order_by("-seq")[:_EDITED_ON_RETURN]
    changed = [line for line in edited if seat.edits.get(line.seq) != _changed_at(line)]
    files, private = files_beside(changed), seat.listener.private
    found = []
    for line in reversed(changed):
        seat.edits[line.seq] = _changed_at(line)
        data = shapes.line_json(line, seat.tenant, private=private, files=files)
        found.append(frame("message", data))
    return found


def _state_frames(seat: Seat, conversation: Conversation, taken: Taken) -> list[str]:
    found = []
    state = shapes.state_json(state_of(conversation))
    if state != seat.state:
        seat.state = state
        found.append(frame("state", state))
    if "turn" in taken.kinds and seat.listener.private:
        found.append(frame("turn", {"conversation": conversation.id}))
    return found


def _read_inbox(seat: Seat, taken: Taken) -> tuple[list[str], bool]:
    """A row for each conversation that changed; none, to read the whole list, after a gap."""
    member = seat.opened_with.member
    assert member is not None  # noqa: S101 - only members have an inbox
    numbers = counts(member)
    if taken.lost:
        return [frame("state", {"conversation": None, "counts": numbers})], False
    wanted = {UUID(text) for text in taken.rung if text}
    rows = visible_to(member).filter(pk__in=wanted)
    found = list(rows.select_related("customer", "assignee__user", "stage"))
    labels = shapes.labels_of(found)
    changed = [
        {"conversation": shapes.summary_json(row, labels[row.id]), "counts": numbers}
        for row in found
    ]
    gone = wanted - {row.id for row in found}
    return [
        *(frame("state", data) for data in changed),
        *(frame("erased", {"conversation": conversation_id}) for conversation_id in gone),
    ], False
