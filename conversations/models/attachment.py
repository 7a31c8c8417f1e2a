"""A file beside a message: what it is, and apart from that its bytes."""

from uuid import UUID

from django.db import models
from django.db.models import Q
from django.utils import timezone

from conversations.models.conversation import Conversation
from conversations.models.customer import Customer
from conversations.models.expiring import ExpiringModel, expiry_index
from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.models import Member
from tenants.scoping import TenantScopedModel

# What stands in the place of the name of a file that was taken out.
REMOVED_NAME = "Removed file"


class Attachment(ExpiringModel):
    """A file that was sent with a message, or waits to be sent.

    Until it is sent it has no conversation and no `seq`, and only who brought it may see it. No key
    points at the message: its `seq` names it, as everywhere.
    """

    conversation = models.ForeignKey(
        Conversation,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        null=True,
        related_name="+",
    )
    seq = models.BigIntegerField(null=True)
    # Who brought it: a customer or a member.
    customer = models.ForeignKey(
        Customer,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        null=True,
        related_name="+",
    )
    member = models.ForeignKey(
        Member,
        on_delete=models.SET_NULL,
        db_constraint=False,
        db_index=False,
        null=True,
        related_name="+",
    )
    name = models.CharField(max_length=255)
    # As its content says, never as the sender did.
    media_type = models.CharField(max_length=100)
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    # Of images alone, in pixels.
    width = models.PositiveIntegerField(null=True)
    height = models.PositiveIntegerField(null=True)
    # Its bytes and its name were taken out for good; that there was a file stays.
    redacted_at = models.DateTimeField(null=True)

    class Meta(ExpiringModel.Meta):
        constraints = [
            RowSecurity(name="attachment_tenant"),
            models.UniqueConstraint(fields=["tenant", "id"], name="attachment_tenant_id"),
            TenantForeignKey(
                name="attachment_conversation_fk",
                field="conversation",
                to="conversations_conversation",
            ),
            TenantForeignKey(
                name="attachment_customer_fk", field="customer", to="conversations_customer"
            ),
            TenantForeignKey(
                name="attachment_member_fk",
                field="member",
                to="tenants_member",
                on_delete="SET NULL",
            ),
            models.CheckConstraint(
                name="attachment_sent_whole",
                condition=Q(conversation__isnull=True, seq__isnull=True)
                | Q(conversation__isnull=False, seq__isnull=False),
            ),
        ]
        indexes = [
            # The files of a page of the thread; the conversation's cascade.
            models.Index(fields=["tenant", "conversation", "seq"], name="attachment_of_line"),
            # What a customer has brought in a day; the customer's cascade.
            models.Index(
                fields=["tenant", "customer", "created_at"],
                condition=Q(customer__isnull=False),
                name="attachment_of_customer",
            ),
            # The member's cascade.
            models.Index(
                fields=["tenant", "member"],
                condition=Q(member__isnull=False),
                name="attachment_of_member",
            ),
            # What retention hides and purges.
            expiry_index("attachment_expiry"),
        ]

    def __str__(self) -> str:
        return f"file {self.id}"

    @property
    def is_image(self) -> bool:
        return self.width is not None

    @property
    def line(self) -> tuple[UUID, int]:
        """The conversation and the number of the message of a file that was sent."""
        if self.conversation_id is None or self.seq is None:
            raise ValueError("An unsent file stands nowhere.")
        return self.conversation_id, self.seq

    @property
    def is_removed(self) -> bool:
        """Taken out for good, or hidden by its end until the purge comes."""
        ended = self.expires_at is not None and self.expires_at <= timezone.now()
        return ended or self.redacted_at is not None

    @property
    def shown_name(self) -> str:
        return REMOVED_NAME if self.is_removed else self.name


class AttachmentBody(TenantScopedModel):
    """The bytes of a file and of its small picture: in the database, behind the tenant's wall.

    There a file is stored, backed up, restored, hidden and erased together with its message.
    """

    attachment = models.ForeignKey(
        Attachment,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    content = models.BinaryField()
    # A WebP of at most 480 pixels a side; of images alone.
    preview = models.BinaryField(null=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="attachment_body_tenant"),
            TenantForeignKey(
                name="attachment_body_fk", field="attachment", to="conversations_attachment"
            ),
            models.UniqueConstraint(fields=["tenant", "attachment"], name="attachment_body_once"),
        ]

    def __str__(self) -> str:
        return f"bytes of {self.attachment_id}"
