"""How long things are kept: policies, and the runs that carry them out."""

from django.db import models
from django.db.models import Q

from conversations.models.conversation import Channel, Label, Status
from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.models import Member
from tenants.scoping import TenantScopedModel


class Kind(models.TextChoices):
    """What a policy ends."""

    MESSAGES = "messages", "Messages, with the whole conversation"
    CUSTOMERS = "customers", "Customers, with sessions and identities"
    FILES = "files", "Files, with their small pictures"
    NOTES = "notes", "Notes"
    MODEL_CALLS = "model_calls", "Model calls and tool journal"
    DRAFTS = "drafts", "Drafts"
    LOGS = "logs", "Logs: ended sessions, past exports and merges, invitations, error texts"


class RetentionPolicy(TenantScopedModel):
    """Rows of one kind go so many days after their last use. Never changed, only replaced.

    waiting → active → ended. A policy that keeps less than before waits for a day, and for a second
    member when it would take many rows; whatever keeps more is active at once.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        ACTIVE = "active", "Active"
        ENDED = "ended", "Ended"

    name = models.CharField(max_length=80)
    kind = models.CharField(max_length=20, choices=Kind, default=Kind.MESSAGES)
    # Conditions; an empty one is no condition.
    status = models.CharField(max_length=10, choices=Status, blank=True)
    channel = models.CharField(max_length=20, choices=Channel, blank=True)
    label = models.ForeignKey(
        Label,
        on_delete=models.RESTRICT,
        db_constraint=False,
        db_index=False,
        null=True,
        blank=True,
        related_name="+",
    )
    days = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    # The policy that this one takes the place of as it becomes active.
    replaces = models.UUIDField(null=True)
    # What it would have taken when it was made, all rows and whole pieces of its kind: the size
    # that asks for a second person.
    rows = models.PositiveIntegerField(default=0)
    pieces = models.PositiveIntegerField(default=0)
    needs_second = models.BooleanField(default=False)
    made_by = models.ForeignKey(
        Member,
        on_delete=models.SET_NULL,
        db_constraint=False,
        db_index=False,
        null=True,
        related_name="+",
    )
    approved_by = models.ForeignKey(
        Member,
        on_delete=models.SET_NULL,
        db_constraint=False,
        db_index=False,
        null=True,
        related_name="+",
    )
    approved_at = models.DateTimeField(null=True)
    starts_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="retention_policy_tenant"),
            # A label that a policy names is not deleted under it: the policy would take more.
            TenantForeignKey(
                name="retention_policy_label_fk",
                field="label",
                to="conversations_label",
                on_delete="NO ACTION",
            ),
            TenantForeignKey(
                name="retention_policy_made_by_fk",
                field="made_by",
                to="tenants_member",
                on_delete="SET NULL",
            ),
            TenantForeignKey(
                name="retention_policy_approved_by_fk",
                field="approved_by",
                to="tenants_member",
                on_delete="SET NULL",
            ),
            models.CheckConstraint(
                name="retention_policy_at_least_a_day", condition=Q(days__gte=1)
            ),
        ]
        # The page, and the few that are in force.
        indexes = [models.Index(fields=["tenant", "state", "-created_at"], name="retention_page")]

    def __str__(self) -> str:
        return self.name

    @property
    def waits_for_second(self) -> bool:
        return self.needs_second and self.approved_at is None


class RetentionRun(TenantScopedModel):
    """What one policy took in one round: the report. Counts only.

    Without a policy it is the platform's maximum. A run that would take too much of the tenant at
    once is held back: what has ended stays hidden and is not deleted until somebody confirms.
    """

    policy_id = models.UUIDField(null=True)
    # As they were: the policy may be replaced, the report stands.
    name = models.CharField(max_length=80)
    days = models.PositiveIntegerField()
    counts = models.JSONField(default=dict)
    rows = models.PositiveIntegerField(default=0)
    finished_at = models.DateTimeField(null=True)
    # While it waits: since when, and how many whole pieces it would take.
    held_back_at = models.DateTimeField(null=True)
    due = models.PositiveIntegerField(default=0)
    # So many at a time somebody has allowed; what grew meanwhile and ordinary runs are among it.
    allowed = models.PositiveIntegerField(default=0)
    confirmed_by = models.ForeignKey(
        Member,
        on_delete=models.SET_NULL,
        db_constraint=False,
        db_index=False,
        null=True,
        related_name="+",
    )

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="retention_run_tenant"),
            TenantForeignKey(
                name="retention_run_confirmed_by_fk",
                field="confirmed_by",
                to="tenants_member",
                on_delete="SET NULL",
            ),
            models.CheckConstraint(
                name="retention_run_ends_free",
                condition=Q(finished_at__isnull=True) | Q(held_back_at__isnull=True),
            ),
            # One open report a policy: a round that was killed goes on in it.
            models.UniqueConstraint(
                fields=["tenant", "policy_id"],
                condition=Q(finished_at__isnull=True),
                nulls_distinct=False,
                name="retention_run_one_open",
            ),
        ]
        indexes = [models.Index(fields=["tenant", "-created_at", "-id"], name="retention_run_page")]

    def __str__(self) -> str:
        return f"run of {self.name}"


class RetentionRound(TenantScopedModel):
    """How far the tenant's round has come: one row, so that a killed one goes on where it was.

    A round first writes on every row when it ends, then purges what has ended.
    """

    # The table that is being marked, by its place in the list; behind the last one it weighs what
    # has ended, and beyond that it purges.
    place = models.PositiveSmallIntegerField(default=0)
    after = models.UUIDField(null=True)
    began_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="retention_round_tenant"),
            models.UniqueConstraint(fields=["tenant"], name="retention_round_one"),
        ]

    def __str__(self) -> str:
        return f"round of {self.tenant_id}"
