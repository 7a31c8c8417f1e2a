"""Signed statements about what was erased, purged or handed over."""

from django.db import models
from django.db.models.functions import Now

from tenants.constraints import RowSecurity
from tenants.scoping import TenantScopedModel, new_id


class Certificate(TenantScopedModel):
    """What the desk certifies, with its signature; never changed, and without personal data."""

    class Kind(models.TextChoices):
        ERASURE = "erasure", "Erasure of a customer"
        RETENTION = "retention", "Retention run"
        EXPORT = "export", "Export"
        TENANT_END = "tenant_end", "End of the workspace"

    kind = models.CharField(max_length=20, choices=Kind)
    # Canonical JSON, byte for byte what was signed.
    body = models.TextField()
    # Base64, as in the file that people keep.
    signature = models.CharField(max_length=120)
    public_key = models.CharField(max_length=60)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="certificate_tenant"),
            models.UniqueConstraint(fields=["tenant", "id"], name="certificate_tenant_id"),
        ]
        # The tab: newest first, by keyset.
        indexes = [models.Index(fields=["tenant", "-created_at", "-id"], name="certificate_page")]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class SigningKey(models.Model):
    """A public key with which certificates were signed; published, and kept after its rotation."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    public_key = models.CharField(max_length=60, unique=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return self.public_key
