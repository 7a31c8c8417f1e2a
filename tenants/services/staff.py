"""Entries of platform staff into a tenant: reasoned, limited, seen and ended by the tenant."""

from datetime import timedelta

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from tenants.models import Member, StaffVisit, Tenant, User
from tenants.services import audit


@transaction.atomic
def open_visit(tenant: Tenant, *, by: User, reason: str, case: str, minutes: int) -> StaffVisit:
    """Says in the tenant's record, and in the platform's, who enters, why, and until when.

    A visit that the same operator has open there ends: there is one reason at a time.
    """
    StaffVisit.objects.filter(user=by, ended_at__isnull=True).update(ended_at=Now())
    until = timezone.now() + timedelta(minutes=minutes)
    visit = StaffVisit.objects.create(user=by, reason=reason, case=case, until=until)
    detail = {"reason": reason, "case": case, "until": until.isoformat(timespec="minutes")}
    audit.record("staff.visit", by=audit.staff(by), target=visit, detail=detail)
    audit.record_for_platform("staff.visit", by=by, target=tenant, detail=detail)
    return visit


@transaction.atomic
def end_visit(visit: StaffVisit, *, by: Member | User) -> None:
    """At once, by the tenant or by the operator; ending it twice changes nothing."""
    if not StaffVisit.objects.filter(id=visit.id, ended_at__isnull=True).update(ended_at=Now()):
        return
    who = by if isinstance(by, Member) else audit.staff(by)
    audit.record("staff.visit_ended", by=who, target=visit, detail={"case": visit.case})
