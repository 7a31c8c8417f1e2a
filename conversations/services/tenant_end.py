"""The end of a tenant: closed, ordered, waited for, deleted batch by batch, certified.

Closing shuts the doors to customers and programs and can be undone. The order to delete is a second
step, waits some days, and can be taken back until it begins. From then on every batch is a
transaction of its own, so a killed worker's successor goes on with what is left.
"""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from conversations.models import TenantEnd
from conversations.selectors.holds import in_force
from conversations.services import emptying
from conversations.services.certificates import issue
from tenants import due
from tenants.errors import Conflict, InvalidInput, NotFound
from tenants.models import Actor, Member, Tenant
from tenants.scoping import current_tenant_id
from tenants.services import audit

TENANT_END = due.kind("tenant_end", queue="bulk")
_HELD_AGAIN_SECONDS = 24 * 3600
_State = TenantEnd.State
# Backups of the database live for so long; the runbook says so.
_BACKUP_DAYS = 30


class WrongSlug(InvalidInput):
    """Typed, so that nobody does this to the wrong workspace."""

    code = "wrong_slug"

    def __init__(self, slug: str) -> None:
        words = f"Type {slug} to confirm. Nothing was changed."
        super().__init__(words, errors={"slug": [words]})


class NotClosed(Conflict):
    """One step after the other."""

    code = "tenant_not_closed"
    detail = "Close the workspace first. Its data is deleted only in a second step."


class StillHeld(Conflict):
    """A legal hold beats this too."""

    code = "legal_hold"
    detail = "A legal hold is in force, so nothing may be deleted. Release it first, then order."


class AlreadyRunning(Conflict):
    """What is gone is gone."""

    code = "tenant_end_runs"
    detail = "The deletion has begun and cannot be taken back."


@transaction.atomic
def close(tenant: Tenant, *, slug: str, by: Member) -> None:
    """Customers and programs are refused from now on; owners and privacy officers can read."""
    locked = _locked(tenant, slug)
    if locked.status == Tenant.Status.ACTIVE:
        _set_status(locked, Tenant.Status.CLOSED, by=by)


@transaction.atomic
def reopen(tenant: Tenant, *, by: Member) -> None:
    """As before. What an operator has suspended only an operator opens."""
    locked = _locked(tenant, tenant.slug)
    if TenantEnd.objects.filter(state__in=[_State.WAITING, _State.RUNNING]).exists():
        raise Conflict("The deletion is ordered. Take the order back first, then reopen.")
    if locked.status == Tenant.Status.CLOSED:
        _set_status(locked, Tenant.Status.ACTIVE, by=by)


@transaction.atomic
def order(tenant: Tenant, *, slug: str, by: Member) -> TenantEnd:
    """Everything is deleted when the waiting period is over; ordering twice is one order."""
    locked = _locked(tenant, slug)
    if locked.status != Tenant.Status.CLOSED:
        raise NotClosed
    if in_force().exists():
        raise StillHeld
    same = TenantEnd.objects.filter(state__in=[_State.WAITING, _State.RUNNING]).first()
    if same is not None:
        return same
    begins_at = timezone.now() + timedelta(days=locked.end_wait_days)
    end = TenantEnd.objects.create(ordered_by=by.id, begins_at=begins_at)
    due.schedule(TENANT_END, end.id, at=begins_at)
    _record("tenant.end_ordered", end, by=by, days=locked.end_wait_days)
    return end


@transaction.atomic
def take_back(end: TenantEnd, *, by: Member) -> None:
    """Nothing is deleted; the workspace stays closed."""
    locked = TenantEnd.objects.select_for_update().get(pk=end.pk)
    if locked.state == _State.TAKEN_BACK:
        return
    if locked.state != _State.WAITING:
        raise AlreadyRunning
    locked.state = _State.TAKEN_BACK
    locked.save(update_fields=["state"])
    due.cancel(TENANT_END, locked.id)
    _record("tenant.end_taken_back", locked, by=by)


@transaction.atomic
def begin(end_id: UUID) -> bool:
    """Whether it runs. A hold that was placed meanwhile puts it off, by a day at a time."""
    end = TenantEnd.objects.select_for_update().filter(pk=end_id).first()
    if end is None or end.state not in (_State.WAITING, _State.RUNNING):
        return False
    if end.state == _State.WAITING:
        if in_force().exists():
            due.schedule(TENANT_END, end.id, after=_HELD_AGAIN_SECONDS)
            _record("tenant.end_held", end, by=audit.job("tenant_end"))
            return False
        end.state, end.started_at, end.found = _State.RUNNING, Now(), emptying.counts()
        end.save(update_fields=["state", "started_at", "found"])
        _record("tenant.end_begun", end, by=audit.job("tenant_end"))
    return True


@transaction.atomic
def step(end_id: UUID) -> bool:
    """One batch; False when nothing is left and the end is certified."""
    end = TenantEnd.objects.select_for_update().get(pk=end_id)
    if end.state != _State.RUNNING:
        return False
    table, rows = emptying.take_some()
    if rows:
        end.deleted = {**end.deleted, table: end.deleted.get(table, 0) + rows}
        end.save(update_fields=["deleted"])
        return True
    _finish(end)
    return False


def _finish(end: TenantEnd) -> None:
    """The pseudonyms' key goes last: from now on the record leads to nobody."""
    audit.forget_key()
    due.cancel(TENANT_END, end.id)
    now = timezone.now()
    certificate = issue("tenant_end", facts=_facts(end, now), by=audit.job("tenant_end"))
    end.state, end.finished_at, end.certificate = _State.DONE, now, certificate.id
    end.save(update_fields=["state", "finished_at", "certificate"])
    tenant = Tenant.objects.select_for_update().get(pk=current_tenant_id())
    emptying.blank(tenant)
    counts = {"rows": sum(end.deleted.values()), "certificate": str(certificate.id)}
    audit.record_for_platform(
        "tenant.ended", by=None, kind=Actor.SYSTEM, target=tenant, detail=counts
    )


def _facts(end: TenantEnd, now: Any) -> dict[str, Any]:
    return {
        "counts": end.deleted,
        "found": end.found,
        "ordered_at": end.created_at,
        "started_at": end.started_at,
        "finished_at": now,
        "remains": [
            {
                "what": "The record of acts, with pseudonyms whose key is destroyed",
                "why": "Proof of what was done; it leads to nobody",
                "until": None,
            },
            {
                "what": "The address of the workspace, and this certificate",
                "why": "Nobody else shall answer under the address",
                "until": None,
            },
            {
                "what": "Backups of the database",
                "why": "They are kept apart and overwritten in turn",
                "until": now + timedelta(days=_BACKUP_DAYS),
            },
        ],
    }


def _locked(tenant: Tenant, slug: str) -> Tenant:
    if slug.strip() != tenant.slug:
        raise WrongSlug(tenant.slug)
    locked = Tenant.objects.select_for_update().filter(pk=tenant.pk).first()
    if locked is None or locked.status == Tenant.Status.ENDED:
        raise NotFound
    return locked


def _set_status(tenant: Tenant, status: str, *, by: Member) -> None:
    before = tenant.status
    tenant.status = status
    tenant.save(update_fields=["status"])
    detail = {"from": before, "to": status}
    audit.record("tenant.status_changed", by=by, target=tenant, detail=detail)
    audit.record_for_platform(
        "tenant.status_changed", by=by.user, kind=Actor.MEMBER, target=tenant, detail=detail
    )


def _record(action: str, end: TenantEnd, *, by: audit.Who, **detail: Any) -> None:
    audit.record(action, by=by, target=end, detail=detail)
