"""Who did what to what."""

from django.db import models

from tenants.constraints import RowSecurity
from tenants.scoping import TenantScopedModel


class Actor(models.TextChoices):
    """Who acted."""

    MEMBER = "member", "Teammate"
    CUSTOMER = "customer", "Customer"
    AGENT = "agent", "AI agent"
    STAFF = "staff", "Platform staff"
    SYSTEM = "system", "The desk itself"
    RULE = "rule", "Rule"
    JOB = "job", "Job"


# Somebody by id, a job by its code; the agent and the desk itself are one each.
_NAMED = (
    models.Q(
        actor_kind__in=[Actor.MEMBER, Actor.CUSTOMER, Actor.STAFF, Actor.RULE],
        actor_id__isnull=False,
    )
    | (models.Q(actor_kind=Actor.JOB) & ~models.Q(actor_code=""))
    | models.Q(actor_kind__in=[Actor.AGENT, Actor.SYSTEM])
)


class AuditEntry(TenantScopedModel):
    """One line of the append-only record; the runtime role may neither change nor delete it.

    Holds no name, address, text or file name: ids, codes and counts only; customers and their
    conversations by pseudonym. The tenant is null for sign-in and staff acts, which belong to no
    tenant.
    """

    tenant = models.ForeignKey(
        "tenants.Tenant", on_delete=models.CASCADE, related_name="+", db_index=False, null=True
    )  # the one table whose rows may belong to no tenant
    actor_kind = models.CharField(max_length=10, choices=Actor)
    actor_id = models.UUIDField(null=True)
    # Of a job or a rule, which is no row: the name of its code.
    actor_code = models.CharField(max_length=40, blank=True)
    action = models.CharField(max_length=60)
    target_kind = models.CharField(max_length=40, blank=True)
    target_id = models.UUIDField(null=True)
    detail = models.JSONField(default=dict)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="audit_entry_tenant", allow_null=True),
            models.CheckConstraint(name="audit_entry_names_its_actor", condition=_NAMED),
        ]
        # The audit page: newest first, by keyset; of everybody, by one, about one, of one kind.
        indexes = [
            models.Index(fields=["tenant", "-created_at", "-id"], name="audit_page"),
            models.Index(fields=["tenant", "actor_id", "-created_at", "-id"], name="audit_by"),
            models.Index(fields=["tenant", "target_id", "-created_at", "-id"], name="audit_about"),
            models.Index(fields=["tenant", "action", "-created_at", "-id"], name="audit_did"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.id}"


class AuditLink(TenantScopedModel):
    """The entry of the same id in the tenant's hash chain, in the order in which they committed.

    A trigger of the database writes it as the entry commits. Each hash covers the one before, so
    that a changed, inserted or missing entry shows; see `selectors/audit_chain.py`.
    """

    seq = models.BigIntegerField()
    hash = models.BinaryField(max_length=32)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="audit_link_tenant"),
            # Its first use is to find the chain's end.
            models.UniqueConstraint(fields=["tenant", "seq"], name="audit_link_seq"),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.id}"


class AuditKey(TenantScopedModel):
    """The sealed key of the tenant's pseudonyms; without it they lead to nobody any more."""

    secret = models.BinaryField()

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="audit_key_tenant"),
            models.UniqueConstraint(fields=["tenant"], name="audit_key_one"),
        ]

    def __str__(self) -> str:
        return f"audit key {self.id}"
