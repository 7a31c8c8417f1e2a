"""The end of a tenant, from the order to the certificate."""

from django.db import models

from tenants.constraints import RowSecurity
from tenants.scoping import TenantScopedModel


class TenantEnd(TenantScopedModel):
    """The order to delete all that a tenant has; it can be taken back until it begins.

    Ids, counts and times only: this row and the certificate stay when all else is gone.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "Ordered"
        RUNNING = "running", "Deleting"
        DONE = "done", "Deleted"
        TAKEN_BACK = "taken_back", "Taken back"

    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    ordered_by = models.UUIDField(null=True)
    begins_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    # Rows that were there when it began, and rows deleted so far, by table.
    found = models.JSONField(default=dict)
    deleted = models.JSONField(default=dict)
    certificate = models.UUIDField(null=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="tenant_end_tenant"),
            # One order at a time.
            models.UniqueConstraint(
                fields=["tenant"],
                condition=models.Q(state__in=["waiting", "running", "done"]),
                name="tenant_end_one",
            ),
        ]

    def __str__(self) -> str:
        return f"end of {self.tenant_id} ({self.state})"

    @property
    def percent(self) -> int:
        """How far it is; 100 only when it is done."""
        if self.state == self.State.DONE:
            return 100
        found = sum(self.found.values())
        return min(99, sum(self.deleted.values()) * 100 // found) if found else 0
