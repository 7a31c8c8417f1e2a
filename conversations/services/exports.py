"""The life of an export: asked for, made by due work, fetched once by whom it is for, ended."""

from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from conversations.models import Customer, ExportPart, ExportRequest
from conversations.services import export_box
from tenants import due
from tenants.crypto import hash_token, new_token, parse_token
from tenants.errors import Conflict, Gone, NotFound
from tenants.models import Actor, Member
from tenants.scoping import current_tenant_id
from tenants.services import audit

EXPORT = due.kind("export", queue="bulk")
EXPORT_END = due.kind("export_end", queue="bulk")
LIFE = timedelta(hours=72)
LINK = "ex"
MOST_ATTEMPTS = 5
# Whoever makes an export is left alone for so long; a step of a large one extends it.
LEASE_SECONDS = 120
_UNDER_WAY = (ExportRequest.State.QUEUED, ExportRequest.State.BUILDING)


class NotReady(Conflict):
    """There is nothing to fetch yet."""

    code = "export_not_ready"
    detail = "This export is still being made. Look again in a minute."


class ExportEnded(Gone):
    """Its 72 hours are over, or what it held was erased."""

    code = "export_ended"
    detail = "This export has ended and what it held is deleted. Ask for a new one."


class LinkUsed(Gone):
    """Once means once: whoever finds the link later finds nothing."""

    code = "export_link_used"
    detail = "This link has been used or is not yours. Open the export and ask for a new link."


class AlreadyFetched(Gone):
    """A customer fetches a copy once."""

    code = "export_fetched"
    detail = "This copy has been fetched already. Ask for a new one if you need it again."


class Asker(NamedTuple):
    """Who asks: a member, a customer for their own data, or the desk itself."""

    kind: str
    who: audit.Who
    id: UUID | None = None

    @classmethod
    def member(cls, member: Member) -> "Asker":
        return cls(Actor.MEMBER, member, member.id)

    @classmethod
    def customer(cls, customer: Customer) -> "Asker":
        return cls(Actor.CUSTOMER, audit.customer(customer.id))


_DESK = Asker(Actor.JOB, audit.job("export"))


@transaction.atomic
def ask(customer: Customer, *, by: Asker, notes: bool = False) -> ExportRequest:
    """A copy of one customer's data; asking again while one is being made finds that one."""
    # The lock makes two clicks one export; a customer that is being erased has none any more.
    locked = Customer.objects.select_for_update(no_key=True).filter(pk=customer.pk).first()
    if locked is None:
        raise NotFound
    same = ExportRequest.objects.filter(customer=locked, by_kind=by.kind, state__in=_UNDER_WAY)
    return same.first() or _asked(ExportRequest.Kind.CUSTOMER, locked, by=by, notes=notes)


@transaction.atomic
def ask_for_tenant(*, by: Asker) -> ExportRequest:
    """A copy of everything; asking again while one is being made finds that one."""
    with_lock = ExportRequest.objects.filter(kind=ExportRequest.Kind.TENANT, state__in=_UNDER_WAY)
    return with_lock.first() or _asked(ExportRequest.Kind.TENANT, None, by=by, notes=True)


def _asked(kind: str, customer: Customer | None, *, by: Asker, notes: bool) -> ExportRequest:
    export = ExportRequest.objects.create(
        kind=kind, customer=customer, by_kind=by.kind, by_id=by.id, notes=notes
    )
    due.schedule(EXPORT, export.id)
    _record("export.asked", export, by=by, kind=kind, notes=notes)
    return export


class StillBeingMade(Exception):
    """Another worker is at it."""


def take(export_id: UUID) -> None:
    """Keep other workers away until the transaction ends, however this worker ends.

    Raises `StillBeingMade` when another one was first.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", [f"export {export_id}"]
        )
        (taken,) = cursor.fetchone() or (False,)
    if not taken:
        raise StillBeingMade


@transaction.atomic
def begin(export_id: UUID, *, count: Callable[[ExportRequest], int]) -> ExportRequest | None:
    """Note one more attempt; None when there is nothing to make any more."""
    take(export_id)  # or a bell rung twice would count as an attempt
    rows = ExportRequest.objects.select_for_update(no_key=True)
    export = rows.filter(pk=export_id, state__in=_UNDER_WAY).first()
    if export is None:
        return None
    if export.attempts >= MOST_ATTEMPTS:
        _forget(export, ExportRequest.State.FAILED)
        _record("export.failed", export, by=_DESK, attempts=export.attempts)
        return None
    if export.state == ExportRequest.State.QUEUED:
        export.state, export.key_encrypted = ExportRequest.State.BUILDING, export_box.new_key()
        export.total = count(export)
    export.attempts += 1
    export.save(update_fields=["state", "key_encrypted", "total", "attempts"])
    return export


def finish(export: ExportRequest, *, size: int, rows: int, manifest_sha256: str) -> None:
    """All of it is made, in the transaction that read the data.

    An erasure that was faster has changed or deleted the row, and then nothing of this transaction
    stays. The record is written by `announce`, in a transaction that does not read an old moment.
    """
    ready = ExportRequest.objects.filter(pk=export.pk, state=ExportRequest.State.BUILDING)
    made = {"done": rows, "total": rows, "size": size, "manifest_sha256": manifest_sha256}
    if not ready.update(state=ExportRequest.State.READY, cursor={}, **made):
        raise NotFound


@transaction.atomic
def announce(export_id: UUID) -> None:
    """What was made can be fetched from now on, for 72 hours. Saying it twice changes nothing."""
    rows = ExportRequest.objects.select_for_update(no_key=True).filter(pk=export_id)
    export = rows.filter(state=ExportRequest.State.READY, ready_at__isnull=True).first()
    if export is None:
        return
    rows.update(ready_at=Now(), expires_at=Now() + LIFE)
    due.schedule(EXPORT_END, export.id, after=LIFE.total_seconds())
    _record("export.ready", export, by=_DESK, rows=export.done, bytes=export.size)


@transaction.atomic
def end(export_id: UUID) -> None:
    """The 72 hours are over: nothing of what was copied stays here."""
    export = ExportRequest.objects.select_for_update().filter(pk=export_id).first()
    if export is not None and export.state == ExportRequest.State.READY:
        _forget(export, ExportRequest.State.ENDED)
        _record("export.ended", export, by=_DESK)


@transaction.atomic
def withdraw(export: ExportRequest, *, by: Member) -> ExportRequest:
    """A member ends it early, ready or not."""
    locked = ExportRequest.objects.select_for_update().filter(pk=export.pk).first()
    if locked is None:
        raise NotFound
    if locked.state != ExportRequest.State.ENDED:
        _forget(locked, ExportRequest.State.ENDED)
        due.cancel(EXPORT, locked.id)
        due.cancel(EXPORT_END, locked.id)
        _record("export.withdrawn", locked, by=Asker.member(by))
    return locked


@transaction.atomic
def end_for_erasure(customer_id: UUID) -> int:
    """Nobody fetches a copy of somebody who is being erased; how many ended.

    Theirs end at once, and so do copies of everything, ready or under way.
    """
    theirs = Q(customer=customer_id) | Q(kind=ExportRequest.Kind.TENANT)
    return _end_all(theirs, "export.ended_by_erasure")


@transaction.atomic
def end_for_customers(customer_ids: Collection[UUID]) -> int:
    """Copies of customers who were merged or parted: they are not of one person any more."""
    return _end_all(Q(customer__in=customer_ids), "export.ended_by_merge")


@transaction.atomic
def end_for_redaction(customer_id: UUID) -> int:
    """Copies of a customer that hold a file which was taken out since."""
    return _end_all(Q(customer=customer_id), "export.ended_by_redaction")


def _end_all(which: Q, action: str) -> int:
    rows = ExportRequest.objects.exclude(state=ExportRequest.State.ENDED)
    found = list(rows.filter(which).select_for_update().order_by("id"))
    for export in found:
        _forget(export, ExportRequest.State.ENDED)
        _record(action, export, by=_DESK)
    return len(found)


def _forget(export: ExportRequest, state: str) -> None:
    """The key first: whatever goes wrong afterwards, the pieces are noise."""
    export.key_encrypted = export.link_hash = export.link_member = None
    export.state, export.cursor = state, {}
    export.save(update_fields=["state", "key_encrypted", "link_hash", "link_member", "cursor"])
    ExportPart.objects.filter(export=export)._raw_delete(using="default")  # noqa: SLF001 - in one statement, without loading the pieces


@transaction.atomic
def make_link(export: ExportRequest, *, by: Member) -> str:
    """The token of a link that works once, for this member, as long as the export lives.

    The caller has made sure of the member anew; an older link ends.
    """
    locked = _fetchable(export.id)
    token = new_token(LINK, current_tenant_id())
    locked.link_hash, locked.link_member = hash_token(token), by.id
    locked.save(update_fields=["link_hash", "link_member"])
    _record("export.link_made", locked, by=Asker.member(by))
    return token


@transaction.atomic
def fetch_by_link(token: str, export: ExportRequest, *, by: Member) -> ExportRequest:
    """Use the link up; whatever is wrong with it gives one answer."""
    if parse_token(token, LINK) != current_tenant_id():
        raise LinkUsed
    locked = _fetchable(export.id)
    known = locked.link_hash is not None and bytes(locked.link_hash) == hash_token(token)
    if not known or locked.link_member != by.id:
        raise LinkUsed
    locked.link_hash, locked.link_member = None, None
    return _fetched(locked, by=Asker.member(by))


@transaction.atomic
def fetch_at_once(export: ExportRequest, *, by: Member) -> ExportRequest:
    """For a program, which confirms and fetches in one call."""
    return _fetched(_fetchable(export.id), by=Asker.member(by))


@transaction.atomic
def fetch_own(export: ExportRequest, *, customer: Customer) -> ExportRequest:
    """A customer's own copy, once; who the customer is was proven at the gate."""
    locked = _fetchable(export.id)
    if locked.fetched_at is not None:
        raise AlreadyFetched
    return _fetched(locked, by=Asker.customer(customer))


def _fetchable(export_id: UUID) -> ExportRequest:
    export = ExportRequest.objects.select_for_update().filter(pk=export_id).first()
    if export is None:
        raise NotFound
    if export.state in _UNDER_WAY:
        raise NotReady
    if not export.can_be_fetched:
        raise ExportEnded
    return export


def _fetched(export: ExportRequest, *, by: Asker) -> ExportRequest:
    export.fetched_at = Now()
    export.save(update_fields=["fetched_at", "link_hash", "link_member"])
    export.refresh_from_db(fields=["fetched_at"])
    _record("export.fetched", export, by=by)
    return export


@transaction.atomic
def note_progress(export: ExportRequest, *, rows: int, cursor: dict[str, Any]) -> None:
    """Where a whole tenant's copy goes on, in the transaction of the pieces before."""
    kept = ExportRequest.objects.filter(pk=export.pk, state=ExportRequest.State.BUILDING)
    # Progress is a success: only attempts in a row that get nowhere count.
    if not kept.update(done=F("done") + rows, cursor=cursor, attempts=0):
        raise NotFound


def _record(action: str, export: ExportRequest, *, by: Asker, **detail: Any) -> None:
    audit.record(action, by=by.who, target=export, detail=detail)
