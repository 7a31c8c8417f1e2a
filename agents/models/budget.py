"""How much a tenant's agent may use."""

from typing import Any

from django.db import models

from tenants.constraints import RowSecurity
from tenants.scoping import TenantScopedModel


def _tokens() -> Any:
    return models.PositiveBigIntegerField(null=True, blank=True)


def _money() -> Any:
    return models.DecimalField(max_digits=12, decimal_places=2, null=True, blank=True)


class Budget(TenantScopedModel):
    """The limits of one tenant; what is empty is not limited.

    Money is counted in one currency: what models cost in another is not converted and not counted.
    Days and months are those of the tenant's time zone.
    """

    currency = models.CharField(max_length=3, default="USD")
    turn_tokens = _tokens()
    turn_cost = _money()
    conversation_tokens = _tokens()
    conversation_cost = _money()
    day_tokens = _tokens()
    day_cost = _money()
    month_tokens = _tokens()
    month_cost = _money()
    # The day and the month that administrators were told of: one notice each.
    day_noticed = models.DateField(null=True)
    month_noticed = models.DateField(null=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="budget_tenant"),
            models.UniqueConstraint(fields=["tenant"], name="budget_one"),
        ]

    def __str__(self) -> str:
        return "budget"


class BudgetHold(TenantScopedModel):
    """What one run has used before it is booked, and what its open request may take at most."""

    # A turn, or a trial, with its fence: a lost attempt goes on being billed. No key in the
    # database: it counts until it ends, whatever becomes of the turn.
    holder = models.UUIDField()
    fence = models.BigIntegerField()
    used_tokens = models.BigIntegerField(default=0)
    used_cost = models.DecimalField(max_digits=14, decimal_places=6, default=0)
    asked_tokens = models.BigIntegerField(default=0)
    asked_cost = models.DecimalField(max_digits=14, decimal_places=6, default=0)
    # The worker has died if it is still there then.
    until = models.DateTimeField()

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="budget_hold_tenant"),
            models.UniqueConstraint(fields=["tenant", "holder", "fence"], name="budget_hold_of"),
        ]

    def __str__(self) -> str:
        return f"hold of {self.holder}"
