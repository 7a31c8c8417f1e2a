"""Two customers that were found to be one, or one that was two."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from conversations.models.customer import Customer
from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.models import Member
from tenants.scoping import TenantScopedModel


class CustomerMerge(TenantScopedModel):
    """What moved from one customer to another, by ids, so that it can move back for a while."""

    class Kind(models.TextChoices):
        MERGE = "merge", "Merged"
        SPLIT = "split", "Split"

    kind = models.CharField(max_length=10, choices=Kind)
    source = models.ForeignKey(
        Customer, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+"
    )
    target = models.ForeignKey(
        Customer, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+"
    )
    conversations = ArrayField(models.UUIDField(), default=list)
    identities = ArrayField(models.UUIDField(), default=list)
    # Names of fields and attributes that were empty and took the other's value; never the values.
    filled = ArrayField(models.CharField(max_length=20), default=list)
    attributes = ArrayField(models.TextField(), default=list)
    by = models.ForeignKey(
        Member,
        on_delete=models.SET_NULL,
        db_constraint=False,
        db_index=False,
        null=True,
        related_name="+",
    )
    undo_until = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="customer_merge_tenant"),
            TenantForeignKey(
                name="customer_merge_source_fk", field="source", to="conversations_customer"
            ),
            TenantForeignKey(
                name="customer_merge_target_fk", field="target", to="conversations_customer"
            ),
            TenantForeignKey(
                name="customer_merge_by_fk", field="by", to="tenants_member", on_delete="SET NULL"
            ),
            models.CheckConstraint(name="customer_merge_of_two", condition=~Q(source=F("target"))),
        ]
        indexes = [
            # The customer's page, from either side; the keys' cascades.
            models.Index(fields=["tenant", "target", "-created_at"], name="customer_merge_target"),
            models.Index(fields=["tenant", "source", "-created_at"], name="customer_merge_source"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"
