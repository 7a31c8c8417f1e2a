"""Copies of personal data that wait to be fetched, sealed at rest."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from conversations.models.customer import Customer
from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.models import Actor
from tenants.scoping import TenantScopedModel


class ExportRequest(TenantScopedModel):
    """A copy of one customer's data, or of a whole tenant, from the asking to its end.

    queued → building → ready → ended; or failed. It holds ids, counts and times. What was copied
    stands in its parts, sealed with a key of its own: without the key the parts are noise.
    """

    class Kind(models.TextChoices):
        CUSTOMER = "customer", "One customer"
        TENANT = "tenant", "The whole workspace"

    class State(models.TextChoices):
        QUEUED = "queued", "Waits its turn"
        BUILDING = "building", "Being made"
        READY = "ready", "Ready"
        FAILED = "failed", "Failed"
        ENDED = "ended", "Ended"

    kind = models.CharField(max_length=10, choices=Kind)
    customer = models.ForeignKey(
        Customer,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        null=True,
        related_name="+",
    )
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    by_kind = models.CharField(max_length=10, choices=Actor)
    by_id = models.UUIDField(null=True)
    # What the team remarked about the customer goes along only when somebody chose so.
    notes = models.BooleanField(default=False)
    attempts = models.PositiveSmallIntegerField(default=0)
    # Rows written and, as far as it is known beforehand, rows in all.
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(default=0)
    # Where a whole tenant's copy goes on after a killed worker.
    cursor = models.JSONField(default=dict)
    key_encrypted = models.BinaryField(null=True)
    size = models.PositiveBigIntegerField(default=0)
    manifest_sha256 = models.CharField(max_length=64, blank=True)
    ready_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    # The one link of a member who has just proven the password; used up by the first fetch.
    link_hash = models.BinaryField(max_length=32, null=True)
    link_member = models.UUIDField(null=True)
    fetched_at = models.DateTimeField(null=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="export_request_tenant"),
            TenantForeignKey(
                name="export_request_customer_fk", field="customer", to="conversations_customer"
            ),
            models.UniqueConstraint(fields=["tenant", "id"], name="export_request_tenant_id"),
            models.CheckConstraint(
                name="export_request_of_whom",
                condition=Q(kind="customer", customer__isnull=False)
                | Q(kind="tenant", customer__isnull=True),
            ),
            # A second click finds the first one.
            models.UniqueConstraint(
                fields=["tenant", "customer", "by_kind"],
                condition=Q(state__in=["queued", "building"], customer__isnull=False),
                name="export_request_one_of_customer",
            ),
        ]
        indexes = [
            # The page of exports, newest first.
            models.Index(fields=["tenant", "-created_at", "-id"], name="export_request_page"),
            # A customer's own; the key's cascade.
            models.Index(fields=["tenant", "customer"], name="export_request_of_customer"),
        ]

    def __str__(self) -> str:
        return f"export {self.id} ({self.state})"

    @property
    def can_be_fetched(self) -> bool:
        """Ready, and its 72 hours are not over yet."""
        alive = self.expires_at is not None and self.expires_at > timezone.now()
        return self.state == self.State.READY and alive

    @property
    def percent(self) -> int:
        """How far it is; 100 only when it is ready."""
        if self.state == self.State.READY:
            return 100
        return min(99, self.done * 100 // self.total) if self.total else 0


class ExportPart(TenantScopedModel):
    """A piece of a file of an export; pieces of one name in a row are one file."""

    export = models.ForeignKey(
        ExportRequest,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=120)
    rows = models.PositiveIntegerField(default=0)
    size = models.PositiveBigIntegerField()
    # Of the whole file; stands on its last piece.
    sha256 = models.CharField(max_length=64, blank=True)
    sealed = models.BinaryField()

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="export_part_tenant"),
            TenantForeignKey(
                name="export_part_export_fk", field="export", to="conversations_exportrequest"
            ),
            models.UniqueConstraint(fields=["tenant", "export", "number"], name="export_part_once"),
        ]

    def __str__(self) -> str:
        return f"{self.name} #{self.number}"
