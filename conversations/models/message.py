"""What stands in a conversation: messages, notes and events, numbered together by `seq`."""

from django.db import models
from django.db.models import Q

from conversations.models.conversation import Conversation
from conversations.models.customer import Customer
from conversations.models.expiring import ExpiringModel, expiry_index
from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.models import Member
from tenants.scoping import TenantKey, TenantScopedModel


class MessageRole(models.TextChoices):
    """The role in which the model sees it."""

    CUSTOMER = "customer", "Customer"
    AGENT = "agent", "AI agent"
    MEMBER = "member", "Teammate"
    TOOL = "tool", "Tool"


class _Line(TenantScopedModel):
    """A numbered line of a conversation; the number is handed out under the conversation's lock."""

    # The conversation's key holds the tenant already. One of its own would lock the tenant's row
    # for every line, against all other turns of that tenant.
    tenant = TenantKey(db_constraint=False)
    conversation = models.ForeignKey(
        Conversation,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    seq = models.BigIntegerField()

    class Meta(TenantScopedModel.Meta):
        abstract = True


class Message(_Line):
    """One append-only line that was said, or exchanged between agent and tools.

    `parts` is null for plain words (they stand in `text`) and holds calls, results, approvals,
    reasoning and images otherwise; rows that only the model sees have an empty `text`.
    `turn_id` names the turn that wrote it, `saw_seq` the last line that turn had loaded.
    """

    role = models.CharField(max_length=10, choices=MessageRole)
    # Without keys in the database: the conversation's key ties the row to its tenant already, and
    # deleting a customer or a member must not walk the largest table.
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
    # The name as it was when it was said: members leave and profiles change.
    author_name = models.CharField(max_length=200, blank=True)
    text = models.TextField(blank=True)
    parts = models.JSONField(null=True)
    sources = models.JSONField(null=True)
    turn_id = models.UUIDField(null=True)
    saw_seq = models.BigIntegerField(null=True)
    client_key = models.UUIDField(null=True)
    edited_at = models.DateTimeField(null=True)
    # Another answer took its place: members still see it, customers and the model do not.
    superseded_at = models.DateTimeField(null=True)

    class Meta(_Line.Meta):
        constraints = [
            RowSecurity(name="message_tenant"),
            TenantForeignKey(
                name="message_conversation_fk",
                field="conversation",
                to="conversations_conversation",
            ),
            # The window of the model, every page and every stream.
            models.UniqueConstraint(fields=["tenant", "conversation", "seq"], name="message_seq"),
            # One click is one message, whatever the network does.
            models.UniqueConstraint(
                fields=["tenant", "customer", "client_key"],
                condition=Q(customer__isnull=False, client_key__isnull=False),
                name="message_client_key",
            ),
            models.UniqueConstraint(
                fields=["tenant", "member", "client_key"],
                condition=Q(member__isnull=False, client_key__isnull=False),
                name="message_member_client_key",
            ),
        ]

    def __str__(self) -> str:
        return f"message {self.seq} of {self.conversation_id}"

    @property
    def was_said(self) -> bool:
        """Whether people see it: tool traffic and silent steps of the agent are for the model."""
        return self.role != MessageRole.TOOL and bool(self.text)


class MessageEdit(TenantScopedModel):
    """The words that a message had before an edit or a redaction."""

    conversation = models.ForeignKey(
        Conversation,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    seq = models.BigIntegerField()
    text = models.TextField(blank=True)
    by = models.ForeignKey(
        Member,
        on_delete=models.SET_NULL,
        db_constraint=False,
        db_index=False,
        null=True,
        related_name="+",
    )

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="message_edit_tenant"),
            TenantForeignKey(
                name="message_edit_conversation_fk",
                field="conversation",
                to="conversations_conversation",
            ),
            TenantForeignKey(
                name="message_edit_by_fk", field="by", to="tenants_member", on_delete="SET NULL"
            ),
        ]
        # The history of one message; the conversation's cascade.
        indexes = [models.Index(fields=["tenant", "conversation", "seq"], name="message_edit_of")]

    def __str__(self) -> str:
        return f"edit of message {self.seq}"


class Note(_Line, ExpiringModel):
    """A private remark among members. Its own table: no customer-facing query can return one."""

    member = models.ForeignKey(
        Member,
        on_delete=models.SET_NULL,
        db_constraint=False,
        db_index=False,
        null=True,
        related_name="+",
    )
    author_name = models.CharField(max_length=200, blank=True)
    text = models.TextField()
    client_key = models.UUIDField(null=True)

    class Meta(_Line.Meta):
        constraints = [
            RowSecurity(name="note_tenant"),
            TenantForeignKey(
                name="note_conversation_fk", field="conversation", to="conversations_conversation"
            ),
            TenantForeignKey(
                name="note_member_fk", field="member", to="tenants_member", on_delete="SET NULL"
            ),
            models.UniqueConstraint(fields=["tenant", "conversation", "seq"], name="note_seq"),
            models.UniqueConstraint(
                fields=["tenant", "member", "client_key"],
                condition=Q(member__isnull=False, client_key__isnull=False),
                name="note_client_key",
            ),
        ]
        # What retention hides and purges.
        indexes = [expiry_index("note_expiry")]

    def __str__(self) -> str:
        return f"note {self.seq} of {self.conversation_id}"


class Event(_Line):
    """A line of the timeline. `line` is what the customer reads; members-only events have none."""

    class Kind(models.TextChoices):
        TAKEN_OVER = "taken_over"
        HANDED_BACK = "handed_back"
        FAILED = "failed"
        WAITING_FOR_COLLEAGUE = "waiting_for_colleague"
        PERSON_ASKED = "person_asked"
        APPROVED = "approved"
        REJECTED = "rejected"
        ASSIGNED = "assigned"
        STAGE_CHANGED = "stage_changed"
        TITLE_CHANGED = "title_changed"
        LABELS_CHANGED = "labels_changed"
        MODE_CHANGED = "mode_changed"
        SNOOZED = "snoozed"
        WOKEN = "woken"
        RESOLVED = "resolved"
        REOPENED = "reopened"
        CLOSED = "closed"
        RATED = "rated"
        FORKED = "forked"
        FORKED_FROM = "forked_from"

    kind = models.CharField(max_length=30, choices=Kind)
    public = models.BooleanField(default=False)
    line = models.CharField(max_length=300, blank=True)
    by_kind = models.CharField(max_length=10)
    by_id = models.UUIDField(null=True)
    by_name = models.CharField(max_length=200, blank=True)
    detail = models.JSONField(default=dict)

    class Meta(_Line.Meta):
        constraints = [
            RowSecurity(name="event_tenant"),
            TenantForeignKey(
                name="event_conversation_fk", field="conversation", to="conversations_conversation"
            ),
            models.UniqueConstraint(fields=["tenant", "conversation", "seq"], name="event_seq"),
            models.CheckConstraint(
                name="event_public_has_line", condition=Q(public=False) | ~Q(line="")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.seq}"
