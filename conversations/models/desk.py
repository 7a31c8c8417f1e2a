"""What members keep beside the talk: drafts, canned replies, ratings."""

from django.db import models

from conversations.models.conversation import Conversation
from conversations.models.expiring import ExpiringModel, expiry_index
from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.models import Member
from tenants.scoping import TenantScopedModel


class Draft(ExpiringModel):
    """Unsent words of a member in one conversation and mode; sending removes them."""

    class Mode(models.TextChoices):
        REPLY = "reply"
        NOTE = "note"

    conversation = models.ForeignKey(
        Conversation,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    member = models.ForeignKey(
        Member, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+"
    )
    mode = models.CharField(max_length=10, choices=Mode)
    text = models.TextField()
    version = models.PositiveIntegerField(default=1)

    class Meta(ExpiringModel.Meta):
        constraints = [
            RowSecurity(name="draft_tenant"),
            TenantForeignKey(
                name="draft_conversation_fk", field="conversation", to="conversations_conversation"
            ),
            TenantForeignKey(name="draft_member_fk", field="member", to="tenants_member"),
            models.UniqueConstraint(
                fields=["tenant", "conversation", "member", "mode"], name="draft_once"
            ),
        ]
        # What retention hides and purges.
        indexes = [expiry_index("draft_expiry")]

    def __str__(self) -> str:
        return f"draft in {self.conversation_id}"


class CannedReply(TenantScopedModel):
    """A prepared answer that a member inserts by its shortcut."""

    shortcut = models.CharField(max_length=40)
    text = models.TextField()

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="canned_reply_tenant"),
            models.UniqueConstraint(fields=["tenant", "shortcut"], name="canned_reply_shortcut"),
        ]

    def __str__(self) -> str:
        return self.shortcut


class Rating(TenantScopedModel):
    """A customer's verdict on a conversation, the last one counts."""

    conversation = models.ForeignKey(
        Conversation,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    score = models.PositiveSmallIntegerField()
    comment = models.TextField(blank=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="rating_tenant"),
            TenantForeignKey(
                name="rating_conversation_fk", field="conversation", to="conversations_conversation"
            ),
            models.UniqueConstraint(fields=["tenant", "conversation"], name="rating_once"),
            models.CheckConstraint(
                name="rating_one_to_five", condition=models.Q(score__gte=1, score__lte=5)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.score} for {self.conversation_id}"
