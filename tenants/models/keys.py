"""Keys by which programs speak to a tenant."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.models.member import Member
from tenants.scoping import TenantScopedModel


class WidgetKey(TenantScopedModel):
    """Lets a website's widget speak to one tenant, from listed origins; proves nothing."""

    key = models.CharField(max_length=80)
    label = models.CharField(max_length=80)
    # `https://shop.example.com`, or with `:*` for every port.
    allowed_origins = ArrayField(models.CharField(max_length=253), default=list, blank=True)
    # Encrypted; the tenant's own server signs identities with the plain one.
    identity_secret = models.BinaryField()
    identity_required = models.BooleanField(default=False)
    active = models.BooleanField(default=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="widget_key_tenant"),
            models.UniqueConstraint(fields=["tenant", "id"], name="widget_key_tenant_id"),
            models.UniqueConstraint(fields=["tenant", "key"], name="widget_key_unique"),
        ]

    def __str__(self) -> str:
        return self.label


class ApiKey(TenantScopedModel):
    """Acts for one member over the member API, with that member's rights and never more."""

    member = models.ForeignKey(
        Member, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+"
    )
    label = models.CharField(max_length=80)
    secret_hash = models.BinaryField(max_length=32)
    # The first characters, so that a person can tell keys apart in a list.
    prefix = models.CharField(max_length=12)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="api_key_tenant"),
            TenantForeignKey(name="api_key_member_fk", field="member", to="tenants_member"),
            models.UniqueConstraint(fields=["tenant", "secret_hash"], name="api_key_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.label} ({self.prefix}…)"
