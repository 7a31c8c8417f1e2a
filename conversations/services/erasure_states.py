"""The life of a request of erasure: which state follows which, and its clock."""

import calendar
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models.functions import Now
from django.utils import timezone

from conversations.models import ERASURE_TRANSITIONS, ErasureRequest, ErasureState
from conversations.selectors.holds import holds_over
from tenants import due
from tenants.errors import Conflict, NotFound
from tenants.models import Tenant
from tenants.scoping import current_tenant_id
from tenants.services import audit

ERASURE = due.kind("erasure", queue="bulk")
ALARM = due.kind("erasure_alarm", queue="bulk")
MAIL = due.kind("erasure_mail", queue="bulk")
REMINDER = due.kind("erasure_reminder", queue="bulk")
# So long before its day a request is told to those who keep the privacy desk.
NEAR = timedelta(days=7)
ALARM_DAYS = 10
# From so many subjects of one tenant in a day on, a second person must agree.
SUBJECTS_A_DAY = 20
# A parked request looks again so often whether its hold has ended.
HOLD_SECONDS = 3600.0
_LONGEST_WAIT = timedelta(days=7)
_ON_CUSTOMER = "customer"


class WrongState(Conflict):
    """The request has moved on, or is not that far."""

    code = "erasure_moved_on"
    detail = "This request is in another state by now. Load it again and see what it says."


def locked(request_id: UUID) -> ErasureRequest:
    """The current row, locked until the transaction ends; raises `NotFound`."""
    row = ErasureRequest.objects.select_for_update(of=("self",)).filter(pk=request_id).first()
    if row is None:
        raise NotFound
    return row


def move(request: ErasureRequest, to: ErasureState, **fields: Any) -> None:
    """The locked request goes on; the database refuses what the table does not allow."""
    if to not in ERASURE_TRANSITIONS[request.state]:
        raise WrongState
    request.state = to
    for name, value in fields.items():
        setattr(request, name, value)
    request.save(update_fields=["state", *fields])
    if fields.values():
        request.refresh_from_db(fields=list(fields))
    audit.record(
        "erasure.moved", by=audit.job("erasure"), target=request, detail={"state": to.value}
    )


def start_clock(request: ErasureRequest) -> None:
    """One month to the answer; on the tenth day somebody is called, later the team gets letters."""
    due.schedule(ALARM, request.id, at=request.created_at + timedelta(days=ALARM_DAYS))
    due.schedule(REMINDER, request.id, at=request.due_at - NEAR)


def month_after(start: datetime) -> datetime:
    """The same day of the next month, or its last one: the law counts in calendar months."""
    year, month = (start.year + start.month // 12, start.month % 12 + 1)
    last = calendar.monthrange(year, month)[1]
    return start.replace(year=year, month=month, day=min(start.day, last))


def go_on(request: ErasureRequest) -> None:
    """What comes after the person is known: a second pair of eyes, a wait, a hold, or the act."""
    if request.state == ErasureState.VERIFIED and _wants_approval(request):
        move(request, ErasureState.AWAITING_APPROVAL)
    elif request.state in {ErasureState.VERIFIED, ErasureState.AWAITING_APPROVAL} and (
        wait := _wait(request)
    ):
        starts_at = timezone.now() + wait
        move(request, ErasureState.HOLDING_PERIOD, starts_at=starts_at)
        due.schedule(ERASURE, request.id, at=starts_at)
    else:
        park_or_run(request)


def park_or_run(request: ErasureRequest) -> None:
    """A hold on the person parks the request; nothing of them is touched or hidden then.

    A hold on one of their conversations keeps that one only.
    """
    if request.subject_id and _is_held(request.subject_id):
        if request.state != ErasureState.HELD:
            move(request, ErasureState.HELD)
        due.schedule(ERASURE, request.id, after=HOLD_SECONDS)
        return
    move(request, ErasureState.RUNNING, starts_at=Now())
    due.schedule(ERASURE, request.id)


def _is_held(customer_id: UUID) -> bool:
    over = holds_over(customer=customer_id)
    return any(hold.scope == _ON_CUSTOMER for hold in over)


def _wants_approval(request: ErasureRequest) -> bool:
    """Many at once is how accidents and attacks look."""
    if request.source == ErasureRequest.Source.RESTORE:
        return False
    midnight = timezone.localtime(timezone.now(), _tenant().zone).replace(
        hour=0, minute=0, second=0, microsecond=0
    )
    others = ErasureRequest.objects.filter(verified_at__gte=midnight).exclude(pk=request.pk)
    return others.exclude(state=ErasureState.REFUSED).count() >= SUBJECTS_A_DAY


def _wait(request: ErasureRequest) -> timedelta:
    """None for people who have proven who they are and asked themselves."""
    asked_by_others = request.source == ErasureRequest.Source.MEMBER
    hours = _tenant().erasure_wait_hours if asked_by_others else 0
    return min(timedelta(hours=hours), _LONGEST_WAIT)


def _tenant() -> Tenant:
    return Tenant.objects.get(pk=current_tenant_id())
