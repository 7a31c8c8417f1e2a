"""A person's place in a tenant."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.models.user import User
from tenants.scoping import TenantScopedModel


class Role(models.TextChoices):
    """What a member is; permissions.py says what that allows."""

    OWNER = "owner", "Owner"
    ADMIN = "admin", "Admin"
    PRIVACY_OFFICER = "privacy_officer", "Privacy officer"
    SUPPORT_AGENT = "support_agent", "Support agent"
    VIEWER = "viewer", "Viewer"


# Whoever has left the tenant, or may not sign in any more, is no teammate.
IN_THE_TEAM = Q(active=True, user__is_active=True)


class Member(TenantScopedModel):
    """A user's place in one tenant, with a role; "teammate" on screen."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=20, choices=Role)
    active = models.BooleanField(default=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="member_tenant"),
            models.UniqueConstraint(fields=["tenant", "id"], name="member_tenant_id"),
            models.UniqueConstraint(fields=["tenant", "user"], name="member_once_a_tenant"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.tenant_id}"

    @property
    def name(self) -> str:
        return self.user.name

    @property
    def email(self) -> str:
        return self.user.email

    @property
    def role_label(self) -> str:
        return Role(self.role).label

    @property
    def initials(self) -> str:
        """Two letters at most, for the round mark beside a name."""
        words = self.user.name.split()
        return "".join(word[0] for word in (words[:1] + words[1:][-1:])).upper()


class Invitation(TenantScopedModel):
    """An address that may become a member; the token is mailed and only its hash is kept."""

    email = models.EmailField(max_length=254)
    role = models.CharField(max_length=20, choices=Role)
    token_hash = models.BinaryField(max_length=32)
    invited_by = models.ForeignKey(
        Member, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="invitation_tenant"),
            TenantForeignKey(
                name="invitation_invited_by_fk", field="invited_by", to="tenants_member"
            ),
            models.UniqueConstraint(
                "tenant",
                Lower("email"),
                condition=Q(accepted_at__isnull=True),
                name="invitation_one_open",
            ),
        ]

    def __str__(self) -> str:
        return f"invitation {self.id}"
