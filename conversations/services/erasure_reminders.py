"""Letters to owners and privacy officers: a request is due in a week, a request is overdue.

Each once. The letter is sent outside of any scope while the timer's row is held, and noted after
it: a worker that dies in between sends it again, none loses it.
"""

from datetime import date, datetime
from typing import NamedTuple

import structlog
from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import timezone

from conversations import letters_team
from conversations.letters_team import Letter
from conversations.models import ErasureRequest
from conversations.services.erasure_states import NEAR, REMINDER, locked
from conversations.services.stores_outside import TENANT_HEADER
from tenants import due
from tenants.due import Work
from tenants.errors import NotFound
from tenants.models import IN_THE_TEAM, Member, Tenant
from tenants.permissions import Permission, roles_with
from tenants.services import audit

log = structlog.get_logger(__name__)

# A mail server has so long; then another worker may try.
_HOLD_SECONDS = 120.0
_SAID = {"reminded_at": "erasure.reminded", "overdue_at": "erasure.overdue"}


class _Due(NamedTuple):
    """What is to be said now, to whom, and where it is noted."""

    field: str
    letter: Letter
    to: list[str]


def remind(work: Work) -> None:
    """The letter that is due for one request, if any; nothing for one that has ended."""
    held = work.hold(_HOLD_SECONDS)
    if held is None:
        return
    with held.scope():
        said = _due_now(held)
    if said is not None and said.to:
        headers = {TENANT_HEADER: str(held.tenant_id)}
        EmailMessage(said.letter.subject, said.letter.text, to=said.to, headers=headers).send()
    with held.scope():
        _note(held, said)


def _due_now(work: Work) -> _Due | None:
    request = _open(work)
    field = _field(request) if request else None
    if request is None or field is None:
        return None
    tenant = Tenant.objects.get(pk=work.tenant_id)
    page = reverse("conversations:privacy-request", args=[tenant.slug, request.id])
    write = letters_team.overdue if field == "overdue_at" else letters_team.near
    letter = write(
        tenant.locale,
        company=tenant.name,
        asked=_day(request.created_at, tenant),
        due=_day(request.due_at, tenant),
        link=f"{settings.PUBLIC_URL}{page}",
    )
    return _Due(field, letter, _officers())


def _note(work: Work, said: _Due | None) -> None:
    """In one transaction: that it was said, and when there is more to say."""
    request = _open(work)
    if request is None:
        work.done()
        return
    if said is not None:
        setattr(request, said.field, timezone.now())
        request.save(update_fields=[said.field])
        audit.record(
            _SAID[said.field],
            by=audit.job("erasure"),
            target=request,
            detail={"letters": len(said.to)},
        )
        if not said.to:
            log.error("erasure_due_unread", request=str(request.id))
    if request.overdue_at is not None:
        work.done()
        return
    at = request.due_at if request.reminded_at else request.due_at - NEAR
    due.schedule(REMINDER, request.id, at=at)


def _open(work: Work) -> ErasureRequest | None:
    try:
        request = locked(work.ref_id)
    except NotFound:
        return None
    return request if request.is_open else None


def _field(request: ErasureRequest) -> str | None:
    """Which of the two letters is due; the first is left out when it comes too late."""
    now = timezone.now()
    if now >= request.due_at:
        return None if request.overdue_at else "overdue_at"
    return "reminded_at" if now >= request.due_at - NEAR and not request.reminded_at else None


def _officers() -> list[str]:
    rows = Member.objects.filter(IN_THE_TEAM, role__in=roles_with(Permission.PRIVACY))
    return sorted(rows.values_list("user__email", flat=True))


def _day(moment: datetime, tenant: Tenant) -> date:
    return moment.astimezone(tenant.zone).date()
