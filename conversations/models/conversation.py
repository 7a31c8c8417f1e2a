"""The business entity at the heart of the desk."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from conversations.models.customer import Customer
from conversations.models.expiring import ExpiringModel, LiveManager, expiry_index
from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.models import AgentMode, Member
from tenants.scoping import TenantScopedModel


class Status(models.TextChoices):
    """Where a talk stands."""

    OPEN = "open", "Open"
    SNOOZED = "snoozed", "Snoozed"
    RESOLVED = "resolved", "Resolved"


class Handler(models.TextChoices):
    """Who answers."""

    AGENT = "agent", "AI agent"
    TEAM = "team", "Team"


class Author(models.TextChoices):
    """Who spoke or wrote."""

    CUSTOMER = "customer", "Customer"
    AGENT = "agent", "AI agent"
    MEMBER = "member", "Teammate"


class Channel(models.TextChoices):
    """By which way a talk began."""

    WIDGET = "widget", "Chat widget"


class FunnelStage(TenantScopedModel):
    """One step of the tenant's ordered path to a goal."""

    name = models.CharField(max_length=60)
    position = models.PositiveSmallIntegerField()
    colour = models.CharField(max_length=20, default="slate")

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="funnel_stage_tenant"),
            models.UniqueConstraint(fields=["tenant", "id"], name="funnel_stage_tenant_id"),
            models.UniqueConstraint(fields=["tenant", "name"], name="funnel_stage_name"),
            models.UniqueConstraint(
                fields=["tenant", "position"],
                name="funnel_stage_position",
                deferrable=models.Deferrable.DEFERRED,
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Label(TenantScopedModel):
    """A word that members put on conversations."""

    name = models.CharField(max_length=60)
    colour = models.CharField(max_length=20, default="slate")

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="label_tenant"),
            models.UniqueConstraint(fields=["tenant", "id"], name="label_tenant_id"),
            models.UniqueConstraint(fields=["tenant", "name"], name="label_name"),
        ]

    def __str__(self) -> str:
        return self.name


class ConversationManager(LiveManager["Conversation"]):
    """Leaves out what has expired, and from the first moment of an erasure what is going."""

    def get_queryset(self) -> models.QuerySet["Conversation"]:
        return super().get_queryset().filter(erased_at__isnull=True)


class Conversation(ExpiringModel):
    """One talk between a customer and a tenant: status, handler, assignee, title, funnel stage.

    Two fields that other desks mix up: `status` says where the talk stands, `handler` says who
    answers. The last block repeats facts of the messages, written in the message's transaction,
    so that lists never join to messages.
    """

    customer = models.ForeignKey(
        Customer,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    channel = models.CharField(
        max_length=20, choices=Channel, default=Channel.WIDGET, db_default=Channel.WIDGET
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    handler = models.CharField(max_length=10, choices=Handler, default=Handler.AGENT)
    assignee = models.ForeignKey(
        Member,
        on_delete=models.SET_NULL,
        db_constraint=False,
        db_index=False,
        null=True,
        blank=True,
        related_name="+",
    )
    mode = models.CharField(max_length=10, choices=AgentMode, blank=True)
    snoozed_until = models.DateTimeField(null=True, blank=True)
    resolved_at = models.DateTimeField(null=True, blank=True)
    # The tenant ended the talk for good: the customer cannot write here any more.
    closed_at = models.DateTimeField(null=True, blank=True)
    person_asked_at = models.DateTimeField(null=True, blank=True)

    # Business fields; `…_by` says whether a member or the agent wrote last.
    title = models.CharField(max_length=200, blank=True)
    title_by = models.CharField(max_length=10, choices=Author, blank=True)
    stage = models.ForeignKey(
        FunnelStage,
        on_delete=models.SET_NULL,
        db_constraint=False,
        db_index=False,
        null=True,
        blank=True,
        related_name="+",
    )
    stage_by = models.CharField(max_length=10, choices=Author, blank=True)
    # What the agent wrote down beside its answers; see services/insights.py.
    stage_reason = models.CharField(max_length=300, blank=True)
    triage = models.JSONField(default=dict, blank=True)
    dossier = models.JSONField(default=dict, blank=True)
    summary = models.TextField(blank=True)
    summary_seq = models.BigIntegerField(default=0)
    # Up to which line each of them has read, by name.
    insight_seqs = models.JSONField(default=dict, blank=True)
    # Raised whenever words that stand here change: what was made of the old ones is refused.
    edition = models.PositiveIntegerField(default=0)
    locale = models.CharField(max_length=12, blank=True)

    # Usage, written through services/usage.py by the app that meters.
    input_tokens = models.BigIntegerField(default=0)
    output_tokens = models.BigIntegerField(default=0)
    cost = models.DecimalField(max_digits=14, decimal_places=6, default=0)
    approval_pending = models.BooleanField(default=False)

    # Counters of the talk; `last_seq` numbers messages, notes and events together.
    last_seq = models.BigIntegerField(default=0)
    message_count = models.PositiveIntegerField(default=0)
    last_message_at = models.DateTimeField(null=True, blank=True)
    last_message_by = models.CharField(max_length=10, choices=Author, blank=True)
    last_message_preview = models.CharField(max_length=160, blank=True)
    # The newest customer line, and the newest one that the agent or a member has answered.
    customer_seq = models.BigIntegerField(default=0)
    answered_seq = models.BigIntegerField(default=0)
    waiting_since = models.DateTimeField(null=True, blank=True)
    unread_count = models.PositiveIntegerField(default=0)

    # Being erased since then: hidden at once, gone in a while.
    erased_at = models.DateTimeField(null=True, editable=False)

    objects: ClassVar[ConversationManager] = ConversationManager()

    # No column: what `selectors.inbox.with_people` adds, whether the customer has signed proof.
    identity_proven: bool

    class Meta(ExpiringModel.Meta):
        constraints = [
            RowSecurity(name="conversation_tenant"),
            TenantForeignKey(
                name="conversation_customer_fk", field="customer", to="conversations_customer"
            ),
            TenantForeignKey(
                name="conversation_assignee_fk",
                field="assignee",
                to="tenants_member",
                on_delete="SET NULL",
            ),
            TenantForeignKey(
                name="conversation_stage_fk",
                field="stage",
                to="conversations_funnelstage",
                on_delete="SET NULL",
            ),
            models.UniqueConstraint(fields=["tenant", "id"], name="conversation_tenant_id"),
        ]
        indexes = [
            # The inbox of one status, newest first, by keyset.
            models.Index(
                fields=["tenant", "status", "-last_message_at", "-id"], name="conversation_inbox"
            ),
            # The inbox's default view, open or snoozed: `IN (…)` over the index above would sort.
            models.Index(
                fields=["tenant", "-last_message_at", "-id"],
                condition=Q(status__in=["open", "snoozed"]),
                name="conversation_active",
            ),
            # Every status, as programs list them when they name none.
            models.Index(fields=["tenant", "-last_message_at", "-id"], name="conversation_any"),
            # Sorted by when they began.
            models.Index(fields=["tenant", "-created_at", "-id"], name="conversation_created"),
            # The tabs Unassigned and AI agent, and their badges.
            models.Index(
                fields=["tenant", "-last_message_at", "-id"],
                condition=Q(handler="team", assignee__isnull=True, status__in=["open", "snoozed"]),
                name="conversation_unassigned",
            ),
            models.Index(
                fields=["tenant", "-last_message_at", "-id"],
                condition=Q(handler="agent", status__in=["open", "snoozed"]),
                name="conversation_agent",
            ),
            # Sorted by who waits longest.
            models.Index(
                fields=["tenant", "waiting_since", "id"],
                condition=Q(waiting_since__isnull=False),
                name="conversation_waiting",
            ),
            # A customer's own list and the customer's page; the key's cascade.
            models.Index(
                fields=["tenant", "customer", "-last_message_at"], name="conversation_of_customer"
            ),
            # The tab Mine.
            models.Index(
                fields=["tenant", "assignee", "-last_message_at", "-id"],
                condition=Q(assignee__isnull=False, status__in=["open", "snoozed"]),
                name="conversation_mine",
            ),
            # What retention hides and purges.
            expiry_index("conversation_expiry"),
        ]

    def __str__(self) -> str:
        return f"conversation {self.id}"

    @property
    def is_unanswered(self) -> bool:
        return self.customer_seq > self.answered_seq

    @property
    def spoken_seq(self) -> int:
        """The last line of the customer, or of the team after it."""
        return max(self.customer_seq, self.answered_seq)

    @property
    def customer_is_verified(self) -> bool:
        """By the tenant's signature or a confirmed address; wants a row of `with_people`."""
        return self.identity_proven or self.customer.email_verified

    @property
    def can_write(self) -> bool:
        return self.closed_at is None


class ConversationLabel(TenantScopedModel):
    """A label on a conversation."""

    conversation = models.ForeignKey(
        Conversation,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    label = models.ForeignKey(
        Label, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+"
    )

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="conversation_label_tenant"),
            TenantForeignKey(
                name="conversation_label_conversation_fk",
                field="conversation",
                to="conversations_conversation",
            ),
            TenantForeignKey(
                name="conversation_label_label_fk", field="label", to="conversations_label"
            ),
            models.UniqueConstraint(
                fields=["tenant", "conversation", "label"], name="conversation_label_once"
            ),
        ]
        # Conversations of one label; the label's cascade.
        indexes = [models.Index(fields=["tenant", "label"], name="conversation_label_of")]

    def __str__(self) -> str:
        return f"label {self.label_id} on {self.conversation_id}"
