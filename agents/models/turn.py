"""One round that the agent owes an answer for."""

from django.db import models
from django.db.models import Q

from agents.models.profile import AgentProfile
from conversations.models import Conversation
from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.scoping import TenantScopedModel


class TurnState(models.TextChoices):
    """Where a turn stands; see `TRANSITIONS`."""

    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    AWAITING_APPROVAL = "awaiting_approval", "Awaiting approval"
    SUCCEEDED = "succeeded", "Succeeded"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"
    SUPERSEDED = "superseded", "Superseded"


# What may follow what; the trigger of migration 0002 refuses everything else.
TRANSITIONS: dict[str, frozenset[str]] = {
    TurnState.QUEUED: frozenset({TurnState.RUNNING, TurnState.CANCELLED, TurnState.FAILED}),
    TurnState.RUNNING: frozenset(
        {
            TurnState.SUCCEEDED,
            TurnState.FAILED,
            TurnState.CANCELLED,
            TurnState.QUEUED,
            TurnState.AWAITING_APPROVAL,
        }
    ),
    TurnState.AWAITING_APPROVAL: frozenset(
        {TurnState.QUEUED, TurnState.SUCCEEDED, TurnState.CANCELLED, TurnState.FAILED}
    ),
    TurnState.SUCCEEDED: frozenset({TurnState.SUPERSEDED}),
    TurnState.FAILED: frozenset(),
    TurnState.CANCELLED: frozenset(),
    TurnState.SUPERSEDED: frozenset(),
}

_TERMINAL = ["succeeded", "failed", "cancelled", "superseded"]


class Turn(TenantScopedModel):
    """A round of the agent: state, attempts, fence, lease, usage and cost.

    queued → running → succeeded | failed | cancelled | awaiting_approval; running → queued again
    after a retryable error or a lost lease. Whoever holds the current `fence` may write; every
    claim and every cancellation raises it. All times are the database's.
    """

    class Reason(models.TextChoices):
        CUSTOMER = "customer", "Customer wrote"
        HANDED_BACK = "handed_back", "Handed back"
        DECISION = "decision", "Approval decided"
        RETRY = "retry", "Retried by a teammate"
        REGENERATED = "regenerated", "Written anew for a teammate"

    conversation = models.ForeignKey(
        Conversation,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    reason = models.CharField(max_length=20, choices=Reason)
    retry_of = models.UUIDField(null=True)
    state = models.CharField(max_length=20, choices=TurnState, default=TurnState.QUEUED)
    attempt = models.PositiveSmallIntegerField(default=0)
    fence = models.BigIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    lease_owner = models.CharField(max_length=80, blank=True)
    not_before = models.DateTimeField(null=True)
    deadline_at = models.DateTimeField()
    profile = models.ForeignKey(
        AgentProfile,
        on_delete=models.SET_NULL,
        db_constraint=False,
        db_index=False,
        null=True,
        related_name="+",
    )
    # Whether it writes for a teammate to send; decided by each claim.
    drafts = models.BooleanField(default=False, db_default=False)
    # The last line of the conversation that the answer had seen.
    saw_seq = models.BigIntegerField(null=True)
    # What the model was shown, by reference: lines by number, versions, digests. See services/seen.
    seen = models.JSONField(null=True)
    # The framework's state while an approval is pending; opaque to us.
    session_state = models.JSONField(null=True)
    input_tokens = models.BigIntegerField(default=0)
    output_tokens = models.BigIntegerField(default=0)
    cost = models.DecimalField(max_digits=14, decimal_places=6, default=0)
    # Stable code, the provider's HTTP status and the real reason: for members only.
    error_code = models.CharField(max_length=60, blank=True)
    provider_status = models.PositiveSmallIntegerField(null=True)
    error_detail = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="turn_tenant"),
            TenantForeignKey(
                name="turn_conversation_fk", field="conversation", to="conversations_conversation"
            ),
            TenantForeignKey(
                name="turn_profile_fk",
                field="profile",
                to="agents_agentprofile",
                on_delete="SET NULL",
            ),
            models.UniqueConstraint(fields=["tenant", "id"], name="turn_tenant_id"),
            # One running and one queued turn a conversation: the serialisation, without any lock.
            models.UniqueConstraint(
                fields=["tenant", "conversation"],
                condition=Q(state="running"),
                name="turn_one_running",
            ),
            models.UniqueConstraint(
                fields=["tenant", "conversation"],
                condition=Q(state="queued"),
                name="turn_one_queued",
            ),
            models.UniqueConstraint(
                fields=["tenant", "conversation"],
                condition=Q(state="awaiting_approval"),
                name="turn_one_awaiting",
            ),
            models.CheckConstraint(
                name="turn_lease_while_running",
                condition=Q(state="running", lease_until__isnull=False)
                | (~Q(state="running") & Q(lease_until__isnull=True)),
            ),
            models.CheckConstraint(
                name="turn_finished_when_terminal",
                condition=Q(state__in=_TERMINAL, finished_at__isnull=False)
                | (~Q(state__in=_TERMINAL) & Q(finished_at__isnull=True)),
            ),
        ]
        indexes = [
            # The turns of a conversation, newest first; the key's cascade.
            models.Index(
                fields=["tenant", "conversation", "-created_at"], name="turn_of_conversation"
            ),
            # Error texts that retention takes off; few turns have one.
            models.Index(
                fields=["tenant", "finished_at"],
                condition=~Q(error_detail=""),
                name="turn_error_text",
            ),
            # The tenant's cap: how many run now.
            models.Index(
                fields=["tenant"], condition=Q(state="running"), name="turn_running_of_tenant"
            ),
        ]

    def __str__(self) -> str:
        return f"turn {self.id} ({self.state})"

    @property
    def is_terminal(self) -> bool:
        return self.state in _TERMINAL
