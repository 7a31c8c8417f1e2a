"""Rows that a retention policy hides at a given moment, before anything deletes them."""

from typing import TypeVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from tenants.scoping import TenantManager, TenantScopedModel

_Row = TypeVar("_Row", bound=models.Model)

NOT_EXPIRED = Q(expires_at__isnull=True) | Q(expires_at__gt=Now())


class LiveManager(TenantManager[_Row]):
    """The open scope's rows that have not expired: hidden at once, whenever the purge comes."""

    def get_queryset(self) -> models.QuerySet[_Row]:
        return super().get_queryset().filter(NOT_EXPIRED)


class ExpiringModel(TenantScopedModel):
    """A row with an end. `objects` hides what has expired; `stored` is for those who delete it.

    `expires_at` is reckoned ahead, by services/retention.py; null means that no policy is known to
    end it. `expires_by` names the policy, null the platform's maximum.
    """

    expires_at = models.DateTimeField(null=True, editable=False)
    expires_by = models.UUIDField(null=True, editable=False)

    objects = LiveManager()
    stored = TenantManager()

    class Meta(TenantScopedModel.Meta):
        abstract = True


def expiry_index(name: str) -> models.Index:
    """What has expired or will. Partial, so that rows without an end cost it nothing."""
    return models.Index(
        fields=["tenant", "expires_at"], condition=Q(expires_at__isnull=False), name=name
    )
