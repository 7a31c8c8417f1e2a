"""Requests to erase a person, what is left of them afterwards, and whom else the desk tells."""

from django.db import models
from django.db.models import Q

from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.models import Member
from tenants.scoping import TenantScopedModel


class ErasureState(models.TextChoices):
    """Where a request stands; see `ERASURE_TRANSITIONS`."""

    REQUESTED = "requested", "Waits for the person's confirmation"
    VERIFIED = "verified", "Confirmed"
    AWAITING_APPROVAL = "awaiting_approval", "Waits for a second person"
    HOLDING_PERIOD = "holding_period", "Waiting period"
    HELD = "held", "Parked by a legal hold"
    RUNNING = "running", "Erasing"
    EXECUTED = "executed", "Erased, not yet proven"
    VERIFIED_CLEAN = "verified_clean", "Proven clean"
    CERTIFIED = "certified", "Certified"
    PARTIALLY_HELD = "partially_held", "Erased but for a legal hold"
    FAILED = "failed", "Needs your attention"
    REFUSED = "refused", "Not carried out"


_S = ErasureState

# What may follow what; the trigger of the migration refuses everything else.
ERASURE_TRANSITIONS: dict[str, frozenset[str]] = {
    _S.REQUESTED: frozenset({_S.VERIFIED, _S.REFUSED}),
    _S.VERIFIED: frozenset(
        {_S.AWAITING_APPROVAL, _S.HOLDING_PERIOD, _S.HELD, _S.RUNNING, _S.REFUSED}
    ),
    _S.AWAITING_APPROVAL: frozenset({_S.HOLDING_PERIOD, _S.HELD, _S.RUNNING, _S.REFUSED}),
    _S.HOLDING_PERIOD: frozenset({_S.HELD, _S.RUNNING, _S.REFUSED}),
    _S.HELD: frozenset({_S.RUNNING, _S.REFUSED}),
    _S.RUNNING: frozenset({_S.EXECUTED, _S.PARTIALLY_HELD, _S.FAILED}),
    _S.EXECUTED: frozenset({_S.VERIFIED_CLEAN, _S.FAILED}),
    _S.VERIFIED_CLEAN: frozenset({_S.CERTIFIED}),
    _S.PARTIALLY_HELD: frozenset({_S.RUNNING}),
    _S.FAILED: frozenset({_S.RUNNING}),
    _S.CERTIFIED: frozenset(),
    _S.REFUSED: frozenset(),
}

ENDED = (_S.CERTIFIED, _S.REFUSED)


class ErasureRequest(TenantScopedModel):
    """A person is to be erased. It outlives them: in the end it names nobody.

    `subject_id` is the customer until the erasure is proven, `subject` the pseudonym that stays.
    `sealed` holds what the proof looks for, encrypted, and is gone with it.
    """

    class Source(models.TextChoices):
        WIDGET = "widget", "The person, in the chat"
        MEMBER = "member", "A teammate"
        MAIL = "mail", "The person, by e-mail"
        RESTORE = "restore", "Applied again after a restore"

    class Ground(models.TextChoices):
        WITHDRAWN = "withdrawn", "The person took it back"
        NOT_CONFIRMED = "not_confirmed", "Nobody confirmed it"
        NOT_THE_PERSON = "not_the_person", "It was somebody else who asked"
        LEGAL_DUTY = "legal_duty", "The law obliges us to keep it"

    source = models.CharField(max_length=10, choices=Source)
    state = models.CharField(max_length=20, choices=ErasureState)
    # No keys: the request outlives the customer, and the customer does not wait for the request.
    subject_id = models.UUIDField(null=True)
    subject = models.UUIDField()
    reason = models.CharField(max_length=300, blank=True)
    asked_by = models.ForeignKey(
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
    ground = models.CharField(max_length=20, choices=Ground, blank=True)
    token_hash = models.BinaryField(max_length=32, null=True)
    token_expires_at = models.DateTimeField(null=True)

    # The clock.
    due_at = models.DateTimeField()
    alarmed_at = models.DateTimeField(null=True)
    # When the team was written to: a week before the day, and after it.
    reminded_at = models.DateTimeField(null=True)
    overdue_at = models.DateTimeField(null=True)
    verified_at = models.DateTimeField(null=True)
    starts_at = models.DateTimeField(null=True)
    hidden_at = models.DateTimeField(null=True)
    executed_at = models.DateTimeField(null=True)
    proven_at = models.DateTimeField(null=True)
    certified_at = models.DateTimeField(null=True)

    # Numbers by store, the scan, what providers and others may still hold: nothing of the person.
    evidence = models.JSONField(default=dict)
    total = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    scans = models.PositiveSmallIntegerField(default=0)
    failure = models.CharField(max_length=40, blank=True)
    sealed = models.BinaryField(null=True)
    certificate_id = models.UUIDField(null=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="erasure_request_tenant"),
            TenantForeignKey(
                name="erasure_request_asked_by_fk",
                field="asked_by",
                to="tenants_member",
                on_delete="SET NULL",
            ),
            TenantForeignKey(
                name="erasure_request_approved_by_fk",
                field="approved_by",
                to="tenants_member",
                on_delete="SET NULL",
            ),
            models.UniqueConstraint(fields=["tenant", "id"], name="erasure_request_tenant_id"),
            # Asking twice is one request.
            models.UniqueConstraint(
                fields=["tenant", "subject"],
                condition=~Q(state__in=["certified", "refused"]),
                name="erasure_request_one_open",
            ),
            models.CheckConstraint(
                name="erasure_request_forgets",
                condition=~Q(state__in=["certified", "refused"])
                | Q(
                    subject_id__isnull=True, sealed__isnull=True, token_hash__isnull=True, reason=""
                ),
            ),
            models.CheckConstraint(
                name="erasure_request_certified",
                condition=~Q(state="certified") | Q(certificate_id__isnull=False),
            ),
        ]
        indexes = [
            # The list of requests, newest first, and today's number of them.
            models.Index(fields=["tenant", "-created_at", "-id"], name="erasure_request_page"),
            # Whether somebody is to be erased.
            models.Index(
                fields=["tenant", "subject_id"],
                condition=Q(subject_id__isnull=False),
                name="erasure_request_of",
            ),
            # The page of a mailed link.
            models.Index(
                fields=["tenant", "token_hash"],
                condition=Q(token_hash__isnull=False),
                name="erasure_request_token",
            ),
        ]

    def __str__(self) -> str:
        return f"erasure request {self.id} ({self.state})"

    @property
    def is_open(self) -> bool:
        return self.state not in ENDED


class Tombstone(TenantScopedModel):
    """That a customer or a conversation was erased, by pseudonym: nothing of it comes back."""

    subject = models.UUIDField()
    request_id = models.UUIDField(null=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="tombstone_tenant"),
            models.UniqueConstraint(fields=["tenant", "subject"], name="tombstone_subject"),
        ]

    def __str__(self) -> str:
        return f"tombstone {self.subject}"


class RedactionTarget(TenantScopedModel):
    """A system of the tenant's that has copies, and is told when a person is erased."""

    label = models.CharField(max_length=60)
    url = models.CharField(max_length=500)
    secret = models.BinaryField()
    active = models.BooleanField(default=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="redaction_target_tenant"),
            models.UniqueConstraint(fields=["tenant", "id"], name="redaction_target_tenant_id"),
            models.UniqueConstraint(fields=["tenant", "url"], name="redaction_target_url"),
        ]

    def __str__(self) -> str:
        return self.label


class RedactionNotice(TenantScopedModel):
    """What one system was told about one erasure, and its receipt.

    `sealed` is the message, encrypted; it goes with the receipt or with the last try.
    """

    class State(models.TextChoices):
        PENDING = "pending", "Under way"
        ACKNOWLEDGED = "acknowledged", "Acknowledged"
        GIVEN_UP = "given_up", "No receipt"

    request = models.ForeignKey(
        ErasureRequest,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    target = models.ForeignKey(
        RedactionTarget,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    state = models.CharField(max_length=15, choices=State, default=State.PENDING)
    sealed = models.BinaryField(null=True)
    tries = models.PositiveSmallIntegerField(default=0)
    last_status = models.PositiveSmallIntegerField(null=True)
    receipt_digest = models.BinaryField(max_length=32, null=True)
    acknowledged_at = models.DateTimeField(null=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="redaction_notice_tenant"),
            TenantForeignKey(
                name="redaction_notice_request_fk",
                field="request",
                to="conversations_erasurerequest",
            ),
            TenantForeignKey(
                name="redaction_notice_target_fk",
                field="target",
                to="conversations_redactiontarget",
            ),
            models.UniqueConstraint(
                fields=["tenant", "request", "target"], name="redaction_notice_once"
            ),
            models.CheckConstraint(
                name="redaction_notice_forgets",
                condition=Q(state="pending") | Q(sealed__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"notice {self.id} ({self.state})"
