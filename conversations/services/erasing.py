"""Carrying an erasure out: hide, empty every store in batches, and hand over to the proof.

Each batch is a transaction of its own and is counted on the request in it, so a killed worker loses
nothing and repeats nothing. Whoever comes back starts where the rows say.
"""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from conversations.hooks import providers_of
from conversations.models import Conversation, Customer, ErasureRequest, ErasureState
from conversations.privacy.database import NoBackupRole, connect
from conversations.privacy.survey import survey, words_of_others
from conversations.selectors.erasures import subject_of
from conversations.selectors.subjects import words_of
from conversations.services import erasure_proof, erasure_requests, tombstones
from conversations.services.erasure_seal import Sealed, seal, unseal
from conversations.services.erasure_states import ERASURE, HOLD_SECONDS, locked, move
from conversations.services.hiding import hide, show
from conversations.services.notices import tell_others
from conversations.services.purging import BATCH, purge_conversations, purge_customer
from tenants import due
from tenants.due import Work
from tenants.errors import NotFound
from tenants.personal_data import Whose, stores

# One task works so long and rings for the next: others' bulk work comes in between.
SLICE_SECONDS = 20.0
_TALKS = 100


def step(work: Work, *, seconds: float = SLICE_SECONDS) -> None:
    """All that can be done now for one request; idempotent, killable at any point."""
    ends = time.monotonic() + seconds
    _keep(work)
    try:
        while (state := _next(work)) is not None:
            if state == ErasureState.EXECUTED:
                erasure_proof.prove(work)
                return
            if time.monotonic() > ends:
                with work.scope():
                    due.schedule(ERASURE, work.ref_id)
                return
    except NoBackupRole:
        with work.scope():
            _fail(work, "no_backup_role")


def _keep(work: Work) -> None:
    """Nobody is rung for the same while this goes on; if it dies, somebody is, soon after."""
    with work.scope():
        if ErasureRequest.objects.filter(pk=work.ref_id).exists():
            due.schedule(ERASURE, work.ref_id, after=settings.ERASURE_LEASE_SECONDS)


def _next(work: Work) -> ErasureState | None:
    """One step in one transaction; returns the state if there is more to do at once."""
    with work.scope():
        try:
            request = locked(work.ref_id)
        except NotFound:
            due.cancel(ERASURE, work.ref_id)
            return None
        if request.state != ErasureState.RUNNING:
            return _outside_of_running(request)
        if request.hidden_at is None:
            return _begin(request)
        if "found" in request.evidence:
            return _batch(request)
        sealed = unseal(request)
    _survey(work, sealed)
    return ErasureState.RUNNING


def _outside_of_running(request: ErasureRequest) -> ErasureState | None:
    if request.state in {ErasureState.EXECUTED, ErasureState.VERIFIED_CLEAN}:
        return ErasureState.EXECUTED
    due.cancel(ERASURE, request.id)
    if request.state == ErasureState.PARTIALLY_HELD:
        resumed = erasure_requests.resume_after_hold(request)
        return ErasureState.RUNNING if resumed else None
    request = erasure_requests.wait_over(request.id)
    return ErasureState.RUNNING if request.state == ErasureState.RUNNING else None


def _begin(request: ErasureRequest) -> ErasureState:
    """Nobody sees the person from here on; what the proof and others must know is kept sealed."""
    customer = subject_of(request)
    # Gone already: erasing twice is a success with nothing to do, and is proven like any other.
    sealed = _known(request) if customer is None else _hide(request, customer)
    tombstones.write_down(request.subject, request_id=request.id)
    tombstones.bury([sealed.customer, *sealed.talks], request_id=request.id)
    tombstones.bury_sessions(sealed.customer, request_id=request.id)
    request.evidence.pop("found", None)
    request.evidence["before"] = request.done
    request.sealed, request.hidden_at = seal(sealed), timezone.now()
    request.save(update_fields=["evidence", "sealed", "hidden_at"])
    return ErasureState.RUNNING


def _hide(request: ErasureRequest, customer: Customer) -> Sealed:
    talks = list(Conversation.stored.filter(customer=customer).values_list("pk", flat=True))
    words, own = words_of(customer, talks)
    tell_others(request, customer)
    request.evidence["providers"] = [
        {"name": one.name, "until": one.until.isoformat()} for one in providers_of(talks)
    ]
    hidden = hide(customer.id)
    if hidden.identities:
        _count(request, {"identities": hidden.identities})
    return Sealed(customer.id, hidden.talks, words, own, whole=hidden.whole)


def _known(request: ErasureRequest) -> Sealed:
    """What an earlier round knew, or only the id."""
    if request.sealed:
        return unseal(request)
    assert request.subject_id is not None  # noqa: S101 - one of the two is there until the end
    return Sealed(request.subject_id)


def _survey(work: Work, sealed: Sealed) -> None:
    """What there is, counted by another role; then what lies outside of the database goes."""
    with connect() as backup:
        person = sealed.customer if sealed.whole else UUID(int=0)
        found = survey(backup, work.tenant_id, person, sealed.talks)
        shared = words_of_others(backup, work.tenant_id, sealed.own)
    with work.scope():
        gone = _empty_outside(sealed)
    with work.scope():
        request = locked(work.ref_id)
        if request.state == ErasureState.RUNNING and "found" not in request.evidence:
            request.evidence["found"] = found
            request.sealed = seal(replace(sealed, shared=shared))
            request.save(update_fields=["sealed"])
            request.total = request.done + sum(found.values())
            _count(request, gone)


def _empty_outside(sealed: Sealed) -> Counter[str]:
    """Keys, files, sessions: no transaction brings them back, and taking them twice is harmless."""
    whose = Whose(sealed.talks, sealed.customer if sealed.whole else None)
    gone: Counter[str] = Counter()
    for store in stores(outside=True):
        while taken := store.purges(whose, BATCH):
            gone[store.name] += taken
    return gone


def _batch(request: ErasureRequest) -> ErasureState | None:
    """At most a thousand rows; the request counts them in the same transaction."""
    sealed = unseal(request)
    hidden = Conversation.stored.filter(customer=sealed.customer, erased_at__isnull=False)
    talks = list(hidden.order_by("pk").values_list("pk", flat=True)[:_TALKS])
    if not talks and Conversation.stored.filter(customer=sealed.customer).exists():
        _rest_is_held(request)
        return None
    purged = purge_conversations(talks) if talks else purge_customer(sealed.customer)
    if purged.held:
        show(sealed.customer, purged.held)
    _count(request, purged.counts)
    if talks or (purged.rows and not purged.finished):
        return ErasureState.RUNNING
    if not Customer.stored.filter(pk=sealed.customer).exists():
        return _executed(request)
    # Nothing of the person goes any more: a hold was placed on them meanwhile.
    show(sealed.customer, [])
    _rest_is_held(request)
    return None


def _count(request: ErasureRequest, counts: Mapping[str, int]) -> None:
    deleted = Counter(request.evidence.get("deleted", {}))
    deleted.update(counts)
    request.evidence["deleted"] = dict(deleted)
    request.done += sum(counts.values())
    request.total = max(request.total, request.done)
    request.save(update_fields=["evidence", "done", "total"])


def _executed(request: ErasureRequest) -> ErasureState:
    """Fewer rows deleted than another role had found: something was not reached."""
    deleted = request.done - request.evidence.get("before", 0)
    if deleted < sum(request.evidence["found"].values()):
        move(request, ErasureState.FAILED, failure="fewer_deleted_than_found")
        due.cancel(ERASURE, request.id)
        return ErasureState.FAILED
    # Only the seal knows whose it was from here on, or the proof would find the request itself.
    move(request, ErasureState.EXECUTED, executed_at=timezone.now(), subject_id=None, reason="")
    return ErasureState.EXECUTED


def _rest_is_held(request: ErasureRequest) -> None:
    """It goes on by itself when the hold has ended."""
    move(request, ErasureState.PARTIALLY_HELD)
    due.schedule(ERASURE, request.id, after=HOLD_SECONDS)


def _fail(work: Work, failure: str) -> None:
    request = locked(work.ref_id)
    if request.state in {ErasureState.RUNNING, ErasureState.EXECUTED}:
        move(request, ErasureState.FAILED, failure=failure)
    due.cancel(ERASURE, request.id)
