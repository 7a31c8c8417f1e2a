"""What a turn did: model calls, tool calls, approvals."""

from django.db import models
from django.db.models import Q

from agents.models.turn import Turn
from conversations.models import Conversation, EndingModel, ExpiringModel
from conversations.models.expiring import expiry_index
from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.models import Member
from tenants.scoping import TenantScopedModel


class ModelCall(EndingModel):
    """One request to a model: tokens, cost, duration, outcome; kept for failed turns too.

    When it ends it loses its conversation and counts on: no list of usage hides it.
    """

    class Purpose(models.TextChoices):
        ANSWER = "answer", "Answer"
        TITLE = "title", "Title"
        SPECIALIST = "specialist", "Specialist"
        SUMMARY = "summary", "Summary"
        STAGE = "stage", "Funnel stage"
        TRIAGE = "triage", "Triage"
        FACTS = "facts", "Facts"
        # Members trying things out: calls of no turn, and in the playground of no conversation.
        PLAYGROUND = "playground", "Playground"
        COMPARE = "compare", "Comparison"

    class Outcome(models.TextChoices):
        OK = "ok", "Answered"
        ERROR = "error", "Error"
        CANCELLED = "cancelled", "Cancelled"

    # No key in the database: usage outlives an erased conversation as bare counts.
    conversation_id = models.UUIDField(null=True)
    turn_id = models.UUIDField(null=True)
    attempt = models.PositiveSmallIntegerField(default=1)
    purpose = models.CharField(max_length=20, choices=Purpose, default=Purpose.ANSWER)
    # Whose call it was, of those that the agent asked.
    specialist = models.CharField(max_length=60, blank=True, default="", db_default="")
    api = models.CharField(max_length=20)
    model = models.CharField(max_length=120)
    input_tokens = models.BigIntegerField(default=0)
    output_tokens = models.BigIntegerField(default=0)
    cached_tokens = models.BigIntegerField(default=0)
    reasoning_tokens = models.BigIntegerField(default=0)
    cost = models.DecimalField(max_digits=14, decimal_places=6, default=0)
    currency = models.CharField(max_length=3, default="USD")
    duration_ms = models.PositiveIntegerField(default=0)
    outcome = models.CharField(max_length=10, choices=Outcome)
    error_code = models.CharField(max_length=60, blank=True)
    # Broken off before the provider said what it used: counted by characters.
    estimated = models.BooleanField(default=False)

    class Meta(EndingModel.Meta):
        constraints = [RowSecurity(name="model_call_tenant")]
        indexes = [
            # The usage page by day, model and purpose.
            models.Index(fields=["tenant", "created_at"], name="model_call_by_day"),
            # A turn's trace.
            models.Index(fields=["tenant", "turn_id"], name="model_call_of_turn"),
            # Usage by conversation.
            models.Index(fields=["tenant", "conversation_id"], name="model_call_of_talk"),
            # What retention hides and purges.
            expiry_index("model_call_expiry"),
        ]

    def __str__(self) -> str:
        return f"{self.model} {self.outcome}"


class ToolCall(ExpiringModel):
    """The journal of a tool call: a retry replays a finished one, never repeats a started one."""

    class State(models.TextChoices):
        STARTED = "started", "Started"
        FINISHED = "finished", "Finished"
        FAILED = "failed", "Failed"

    turn = models.ForeignKey(
        Turn, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+"
    )
    # Position within the turn: the same step of a retry finds the same row.
    step = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=60)
    arguments = models.JSONField(default=dict)
    arguments_digest = models.BinaryField(max_length=32)
    result = models.TextField(blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.STARTED)
    duration_ms = models.PositiveIntegerField(default=0)

    class Meta(ExpiringModel.Meta):
        constraints = [
            RowSecurity(name="tool_call_tenant"),
            TenantForeignKey(name="tool_call_turn_fk", field="turn", to="agents_turn"),
            models.UniqueConstraint(fields=["tenant", "turn", "step"], name="tool_call_step"),
        ]
        indexes = [
            # A tool's calls of today, for its daily limit.
            models.Index(fields=["tenant", "name", "created_at"], name="tool_call_of_day"),
            # What retention hides and purges.
            expiry_index("tool_call_expiry"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.state})"


class Approval(TenantScopedModel):
    """A member's decision on a tool call that needs it; decided once, on the arguments shown."""

    class State(models.TextChoices):
        PENDING = "pending", "Pending"
        APPROVED = "approved", "Approved"
        REJECTED = "rejected", "Rejected"
        EXPIRED = "expired", "Expired"
        VOID = "void", "Void"

    conversation = models.ForeignKey(
        Conversation,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    turn = models.ForeignKey(
        Turn, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+"
    )
    call_id = models.CharField(max_length=120)
    tool = models.CharField(max_length=60)
    arguments = models.JSONField(default=dict)
    arguments_digest = models.BinaryField(max_length=32)
    # What the agent said as it asked.
    why = models.TextField(blank=True)
    # The money that the call moves; null for tools that move none.
    amount = models.DecimalField(max_digits=14, decimal_places=2, null=True)
    # The argument by which the tool is weighed: its money, or what the tenant's rule names.
    measured = models.CharField(max_length=60, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.PENDING)
    expires_at = models.DateTimeField()
    decided_by = models.ForeignKey(
        Member,
        on_delete=models.SET_NULL,
        db_constraint=False,
        db_index=False,
        null=True,
        related_name="+",
    )
    decided_at = models.DateTimeField(null=True)
    comment = models.TextField(blank=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="approval_tenant"),
            TenantForeignKey(
                name="approval_conversation_fk",
                field="conversation",
                to="conversations_conversation",
            ),
            TenantForeignKey(name="approval_turn_fk", field="turn", to="agents_turn"),
            TenantForeignKey(
                name="approval_decided_by_fk",
                field="decided_by",
                to="tenants_member",
                on_delete="SET NULL",
            ),
            models.UniqueConstraint(fields=["tenant", "turn", "call_id"], name="approval_call"),
            models.CheckConstraint(
                name="approval_decided_once",
                condition=Q(state__in=["approved", "rejected"], decided_at__isnull=False)
                | (~Q(state__in=["approved", "rejected"]) & Q(decided_at__isnull=True)),
            ),
        ]
        indexes = [
            # The approvals page: what waits for a decision.
            models.Index(
                fields=["tenant", "created_at"],
                condition=Q(state="pending"),
                name="approval_pending",
            ),
            models.Index(fields=["tenant", "conversation"], name="approval_of"),
            # What was decided lately.
            models.Index(fields=["tenant", "-created_at"], name="approval_lately"),
        ]

    def __str__(self) -> str:
        return f"{self.tool} ({self.state})"
