"""The person who writes in the widget."""

from typing import ClassVar

from django.db import models
from django.db.models import Func, Q

from conversations.models.expiring import NOT_EXPIRED, EndingModel, expiry_index
from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.models import WidgetKey
from tenants.scoping import TenantManager, TenantScopedModel


class _HasLiveTalk(Func):
    """A function of the database: asked for the few who have ended, never planned as a join."""

    function = "has_live_talk"
    output_field = models.BooleanField()


# A line gives a talk a new life at once and the person's end is reckoned later: nobody who is
# talked with is hidden in between.
_NOT_ENDED = NOT_EXPIRED | Q(_HasLiveTalk("tenant_id", "id"))


class CustomerManager(TenantManager["Customer"]):
    """Leaves out who is being erased or was idle for too long: nobody reads them, whoever asks."""

    def get_queryset(self) -> models.QuerySet["Customer"]:
        return super().get_queryset().filter(_NOT_ENDED, erased_at__isnull=True)


class Customer(EndingModel):
    """An end customer of a tenant: the data subject. Unique per tenant, never across tenants."""

    name = models.CharField(max_length=200, blank=True)
    email = models.CharField(max_length=254, blank=True)
    email_verified = models.BooleanField(default=False)
    locale = models.CharField(max_length=12, blank=True)
    attributes = models.JSONField(default=dict, blank=True)
    # When a browser of theirs was last here, within an hour.
    last_seen_at = models.DateTimeField(null=True, blank=True)
    # Found to be the same person as that one, who has all that was this one's. The row stays for
    # as long as that can be undone, in no list; whoever erases that one erases it too, by key.
    merged_into = models.ForeignKey(
        "self",
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        null=True,
        blank=True,
        related_name="+",
    )
    # Being erased since then: hidden at once, gone in a while.
    erased_at = models.DateTimeField(null=True, editable=False)

    objects: ClassVar[CustomerManager] = CustomerManager()

    class Meta(EndingModel.Meta):
        constraints = [
            RowSecurity(name="customer_tenant"),
            TenantForeignKey(
                name="customer_merged_into_fk", field="merged_into", to="conversations_customer"
            ),
            models.UniqueConstraint(fields=["tenant", "id"], name="customer_tenant_id"),
        ]
        indexes = [
            # The customers page, newest first, by keyset.
            models.Index(fields=["tenant", "-created_at", "-id"], name="customer_page"),
            # Those who were merged into a customer; the key's cascade.
            models.Index(
                fields=["tenant", "merged_into"],
                condition=Q(merged_into__isnull=False),
                name="customer_merged_into",
            ),
            expiry_index("customer_expiry"),
        ]

    def __str__(self) -> str:
        return f"customer {self.id}"


class CustomerIdentity(TenantScopedModel):
    """A proof of who a customer is: the subject that the tenant's own server signed."""

    customer = models.ForeignKey(
        Customer,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    subject = models.CharField(max_length=200)
    verified_at = models.DateTimeField()

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="customer_identity_tenant"),
            TenantForeignKey(
                name="customer_identity_customer_fk", field="customer", to="conversations_customer"
            ),
            models.UniqueConstraint(fields=["tenant", "subject"], name="customer_identity_subject"),
        ]
        # A customer's page and the composite key's cascade.
        indexes = [models.Index(fields=["tenant", "customer"], name="customer_identity_of")]

    def __str__(self) -> str:
        return f"identity {self.id}"


class WidgetToken(TenantScopedModel):
    """A customer's session in the widget, bound to widget key and customer; only a hash is kept."""

    widget_key = models.ForeignKey(
        WidgetKey, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+"
    )
    customer = models.ForeignKey(
        Customer, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+"
    )
    token_hash = models.BinaryField(max_length=32)
    verified = models.BooleanField(default=False)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="widget_token_tenant"),
            TenantForeignKey(
                name="widget_token_customer_fk", field="customer", to="conversations_customer"
            ),
            TenantForeignKey(
                name="widget_token_widget_key_fk", field="widget_key", to="tenants_widgetkey"
            ),
            models.UniqueConstraint(fields=["tenant", "token_hash"], name="widget_token_unique"),
        ]
        indexes = [
            # Revoking and erasing a customer.
            models.Index(fields=["tenant", "customer"], name="widget_token_of"),
            # Sessions in use, and those that have ended.
            models.Index(
                fields=["tenant", "expires_at"],
                condition=Q(revoked_at__isnull=True),
                name="widget_token_expiry",
            ),
        ]

    def __str__(self) -> str:
        return f"token {self.id}"
