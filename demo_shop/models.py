"""The orders of the fictional shop that the demo's first tenant runs."""

from django.db import models

from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.scoping import TenantScopedModel


class Order(TenantScopedModel):
    """An order of the demo shop, by its public number."""

    class Status(models.TextChoices):
        PAID = "paid"
        PACKED = "packed"
        SHIPPED = "shipped"
        DELIVERED = "delivered"

    number = models.CharField(max_length=20)
    item = models.CharField(max_length=120)
    status = models.CharField(max_length=20, choices=Status)
    total = models.DecimalField(max_digits=10, decimal_places=2)
    address = models.CharField(max_length=300)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="demo_order_tenant"),
            models.UniqueConstraint(fields=["tenant", "id"], name="demo_order_tenant_id"),
            models.UniqueConstraint(fields=["tenant", "number"], name="demo_order_number"),
        ]

    def __str__(self) -> str:
        return self.number


class Refund(TenantScopedModel):
    """Money given back for an order."""

    order = models.ForeignKey(
        Order, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+"
    )
    amount = models.DecimalField(max_digits=10, decimal_places=2)
    reason = models.CharField(max_length=300, blank=True)
    # Whoever asks twice with one key gets the one refund.
    key = models.CharField(max_length=80)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="demo_refund_tenant"),
            models.UniqueConstraint(fields=["tenant", "key"], name="demo_refund_once"),
            TenantForeignKey(name="demo_refund_order_fk", field="order", to="demo_shop_order"),
        ]
        # The refunds of one order; the key's cascade.
        indexes = [models.Index(fields=["tenant", "order"], name="demo_refund_of")]

    def __str__(self) -> str:
        return f"refund {self.id}"
