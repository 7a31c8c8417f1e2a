"""Legal holds: what must not be deleted, whoever asks and whatever has expired."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.models import Member
from tenants.scoping import TenantScopedModel

# A hold ends so long after its release: time to notice a release that was a mistake.
RELEASE_DAYS = 7

IN_FORCE = Q(ends_at__isnull=True) | Q(ends_at__gt=Now())


class LegalHold(TenantScopedModel):
    """Keeps a customer, a conversation, or all conversations of a label.

    Beats erasure and retention. The triggers of the migration refuse every deletion of what it
    covers while it is in force: until `ends_at`, which its release sets.
    """

    class Scope(models.TextChoices):
        CUSTOMER = "customer", "Customer"
        CONVERSATION = "conversation", "Conversation"
        LABEL = "label", "Label"

    scope = models.CharField(max_length=20, choices=Scope)
    # No key: the hold stays on the record when, after its end, the subject is deleted.
    subject_id = models.UUIDField()
    reason = models.CharField(max_length=500)
    placed_by = models.ForeignKey(
        Member,
        on_delete=models.SET_NULL,
        db_constraint=False,
        db_index=False,
        null=True,
        related_name="+",
    )
    released_by = models.ForeignKey(
        Member,
        on_delete=models.SET_NULL,
        db_constraint=False,
        db_index=False,
        null=True,
        related_name="+",
    )
    released_at = models.DateTimeField(null=True)
    ends_at = models.DateTimeField(null=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="legal_hold_tenant"),
            TenantForeignKey(
                name="legal_hold_placed_by_fk",
                field="placed_by",
                to="tenants_member",
                on_delete="SET NULL",
            ),
            TenantForeignKey(
                name="legal_hold_released_by_fk",
                field="released_by",
                to="tenants_member",
                on_delete="SET NULL",
            ),
            models.CheckConstraint(
                name="legal_hold_ends_after_release",
                condition=Q(released_at__isnull=True, ends_at__isnull=True)
                | Q(released_at__isnull=False, ends_at__gte=models.F("released_at")),
            ),
        ]
        indexes = [
            # Whether something is held; the triggers ask it for every row that goes.
            models.Index(fields=["tenant", "scope", "subject_id"], name="legal_hold_on"),
            # The page, newest first.
            models.Index(fields=["tenant", "-created_at", "-id"], name="legal_hold_page"),
        ]

    def __str__(self) -> str:
        return f"hold on {self.scope} {self.subject_id}"

    @property
    def is_released(self) -> bool:
        return self.released_at is not None
