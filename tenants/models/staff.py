"""Entries of platform staff into a tenant."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from tenants.constraints import RowSecurity
from tenants.models.user import User
from tenants.scoping import TenantScopedModel


class VisitReason(models.TextChoices):
    """Codes and no words of one's own: the record holds no free text."""

    SUPPORT = "support", "The tenant asked for help"
    SECURITY = "security", "A security incident"
    LEGAL = "legal", "A legal duty"
    BILLING = "billing", "A question about the bill"


class StaffVisit(TenantScopedModel):
    """Lets one operator read one tenant's conversations, for a reason and until a time."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    reason = models.CharField(max_length=20, choices=VisitReason)
    case = models.CharField(max_length=40)
    until = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="staff_visit_tenant"),
            models.UniqueConstraint(
                fields=["tenant", "user"],
                condition=Q(ended_at__isnull=True),
                name="staff_visit_one_open",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.case} until {self.until}"


OPEN_VISIT = Q(ended_at__isnull=True, until__gt=Now())
