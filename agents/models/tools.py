"""What a tenant says of a tool."""

from django.db import models
from django.db.models import Q

from tenants.constraints import RowSecurity
from tenants.scoping import TenantScopedModel


class ToolSetting(TenantScopedModel):
    """A tenant's standing rule for one tool; without a row the tool's own rules hold."""

    class Approval(models.TextChoices):
        DEFAULT = "default", "As the tool says"
        ALWAYS = "always", "Always ask"
        NEVER = "never", "Never ask"
        ABOVE = "above", "Ask above an amount"

    tool = models.CharField(max_length=60)
    enabled = models.BooleanField(default=True)
    approval = models.CharField(max_length=10, choices=Approval, default=Approval.DEFAULT)
    # The argument that is measured, and what it may be without asking.
    threshold_argument = models.CharField(max_length=60, blank=True)
    threshold = models.DecimalField(max_digits=14, decimal_places=2, null=True)
    # Adds to what the tool itself demands; cannot take it away.
    needs_verified = models.BooleanField(default=False)
    per_turn = models.PositiveSmallIntegerField(null=True)
    per_day = models.PositiveIntegerField(null=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="tool_setting_tenant"),
            models.UniqueConstraint(fields=["tenant", "tool"], name="tool_setting_of"),
            models.CheckConstraint(
                name="tool_setting_threshold",
                condition=~Q(approval="above") | (Q(threshold__gte=0) & ~Q(threshold_argument="")),
            ),
        ]

    def __str__(self) -> str:
        return self.tool
