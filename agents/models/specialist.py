"""Agents that the tenant's agent may ask."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from agents.models.profile import ModelEndpoint
from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.scoping import TenantScopedModel


class Specialist(TenantScopedModel):
    """One immutable version of a specialist: the main agent calls it by its name, as a tool.

    A change is a new row under the next number, so that a turn names exactly whom it asked. The
    one version of a name without `retired_at` is the one that answers now.
    """

    name = models.CharField(max_length=60)
    version = models.PositiveIntegerField(default=1)
    # For the agent that decides whom to ask.
    description = models.CharField(max_length=500)
    instructions = models.TextField(blank=True)
    tools = ArrayField(models.CharField(max_length=60), default=list, blank=True)
    endpoint = models.ForeignKey(
        ModelEndpoint,
        on_delete=models.PROTECT,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    max_steps = models.PositiveSmallIntegerField(default=4)
    # Of the turn's own time: what is left for the main agent comes from the rest.
    seconds = models.PositiveIntegerField(default=30)
    enabled = models.BooleanField(default=True)
    retired_at = models.DateTimeField(null=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="specialist_tenant"),
            TenantForeignKey(
                name="specialist_endpoint_fk",
                field="endpoint",
                to="agents_modelendpoint",
                on_delete="NO ACTION",
            ),
            models.UniqueConstraint(
                fields=["tenant", "name", "version"], name="specialist_version"
            ),
            models.UniqueConstraint(
                fields=["tenant", "name"],
                condition=Q(retired_at__isnull=True),
                name="specialist_one_of_name",
            ),
            models.CheckConstraint(
                name="specialist_name_is_plain", condition=Q(name__regex=r"^[a-z][a-z0-9_]{2,59}$")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} (version {self.version})"
