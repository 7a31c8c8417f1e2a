"""Rows that a retention policy hides at a given moment, before anything deletes them."""

from typing import ClassVar, Self, TypeVar

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


class EndingModel(TenantScopedModel):
    """A row with an end, reckoned ahead by services/reckoning.py.

    `expires_at` is null as long as no policy is known to end it; `expires_by` names the policy,
    null the platform's maximum.
    """

    expires_at = models.DateTimeField(null=True, editable=False)
    expires_by = models.UUIDField(null=True, editable=False)

    stored: ClassVar[TenantManager[Self]] = TenantManager()

    class Meta(TenantScopedModel.Meta):
        abstract = True


class ExpiringModel(EndingModel):
    """A row that is hidden when it ends: `stored`, with all rows, is for those who delete them."""

    objects: ClassVar[LiveManager[Self]] = LiveManager()

    class Meta(EndingModel.Meta):
        abstract = True


def expiry_index(name: str) -> models.Index:
    """What has expired or will. Partial, so that rows without an end cost it nothing."""
    return models.Index(
        fields=["tenant", "expires_at"], condition=Q(expires_at__isnull=False), name=name
    )
