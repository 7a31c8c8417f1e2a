"""Acts of platform staff on a tenant, recorded where the tenant's own people can read it."""

from datetime import timedelta

from django.db.models import TextChoices
from django.utils import timezone

from tenants.models import Tenant, User
from tenants.services import audit


class VisitReason(TextChoices):
    """Codes and no words of one's own: the record holds no free text."""

    SUPPORT = "support", "The tenant asked for help"
    SECURITY = "security", "A security incident"
    LEGAL = "legal", "A legal duty"
    BILLING = "billing", "A question about the bill"


def record_visit(tenant: Tenant, *, by: User, reason: str, case: str, minutes: int) -> None:
    """Says in the tenant's record, and in the platform's, who deals with it, why, and until when.

    Opens nothing: there is no way from the back office to a tenant's content.
    """
    until = timezone.now() + timedelta(minutes=minutes)
    detail = {"reason": reason, "case": case, "until": until.isoformat(timespec="seconds")}
    audit.record("staff.visit", by=audit.staff(by), target=tenant, detail=detail)
    audit.record_for_platform("staff.visit", by=by, target=tenant, detail=detail)
