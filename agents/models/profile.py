"""How a tenant's agent is configured."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.scoping import TenantScopedModel


class Api(models.TextChoices):
    """The wire protocol that an endpoint speaks."""

    CHAT_COMPLETIONS = "chat_completions", "Chat Completions"
    RESPONSES = "responses", "Responses"
    MESSAGES = "messages", "Messages"
    OLLAMA = "ollama", "Ollama"
    OFFLINE = "offline", "Offline (no language model)"


class History(models.TextChoices):
    """Who remembers the conversation for the model."""

    OWN = "own", "The desk"
    SERVICE = "service", "The provider"


class StrayId(models.TextChoices):
    """What to do when a provider answers as if it kept the conversation, and should not."""

    RAISE = "raise", "Stop: the team answers"
    WARN = "warn", "Answer, and note it in the log"
    CLEAR = "clear", "Answer, and say nothing"


class ModelEndpoint(TenantScopedModel):
    """A model that the tenant's agent may speak to. The key is encrypted and never shown again.

    One that is deleted keeps its row without a key, for the versions that name it.
    """

    name = models.CharField(max_length=80)
    api = models.CharField(max_length=20, choices=Api)
    base_url = models.CharField(max_length=500, blank=True)
    model = models.CharField(max_length=120)
    key_encrypted = models.BinaryField(null=True)
    # Set by the operator's command only: may name a server on the operator's own network.
    trusted = models.BooleanField(default=False)
    # Money per million tokens.
    input_price = models.DecimalField(max_digits=12, decimal_places=6, default=0)
    output_price = models.DecimalField(max_digits=12, decimal_places=6, default=0)
    currency = models.CharField(max_length=3, default="USD")
    max_output_tokens = models.PositiveIntegerField(default=1024)
    timeout_seconds = models.PositiveIntegerField(default=60)
    options = models.JSONField(default=dict, blank=True)
    history = models.CharField(max_length=10, choices=History, default=History.OWN)
    stray_id = models.CharField(max_length=10, choices=StrayId, default=StrayId.RAISE)
    deleted_at = models.DateTimeField(null=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="model_endpoint_tenant"),
            models.UniqueConstraint(fields=["tenant", "id"], name="model_endpoint_tenant_id"),
            models.UniqueConstraint(
                fields=["tenant", "name"],
                condition=Q(deleted_at__isnull=True),
                name="model_endpoint_name",
            ),
            models.CheckConstraint(
                name="model_endpoint_deleted_without_key",
                condition=Q(deleted_at__isnull=True) | Q(key_encrypted__isnull=True),
            ),
            models.CheckConstraint(
                name="model_endpoint_service_history",
                condition=Q(history="own") | Q(api="responses"),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def own_model(self) -> str:
        """The model's name, where its own does not say it already."""
        return "" if self.name == self.model else self.model


class OneShot(models.TextChoices):
    """What is asked of the model after an answer, each in one call without history."""

    TITLE = "title", "Give the conversation a title"
    STAGE = "stage", "Propose its funnel stage, with the reason"
    TRIAGE = "triage", "Note language, mood, urgency and a wish for a person"
    FACTS = "facts", "Collect facts, each with the message that it stands in"


class SumsUp(models.TextChoices):
    """When what the model is not shown any more is summed up."""

    OFF = "off", "Never"
    AFTER = "after", "After an answer"
    BEFORE = "before", "Before an answer that would miss something"


def only_titles() -> list[str]:
    """What versions did that were published before there was a choice."""
    return [OneShot.TITLE.value]


class AgentProfile(TenantScopedModel):
    """One immutable version of the agent's configuration; the published one answers customers."""

    version = models.PositiveIntegerField()
    instructions = models.TextField(blank=True)
    tools = ArrayField(models.CharField(max_length=60), default=list, blank=True)
    endpoint = models.ForeignKey(
        ModelEndpoint,
        on_delete=models.PROTECT,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    # What a turn is told beside the talk: names of context providers.
    context = ArrayField(models.CharField(max_length=20), default=list, blank=True)
    # Messages that the model is given at most; the running turn is never cut.
    window = models.PositiveIntegerField(default=40)
    # Tokens of the talk that it is given at most, and who counts them.
    token_budget = models.PositiveIntegerField(default=30_000)
    tokenizer = models.CharField(max_length=40, default="characters")
    sums_up = models.CharField(max_length=10, choices=SumsUp, default=SumsUp.OFF)
    one_shots = ArrayField(models.CharField(max_length=20), default=only_titles, blank=True)
    max_steps = models.PositiveSmallIntegerField(default=8)
    turn_seconds = models.PositiveIntegerField(default=90)
    published_at = models.DateTimeField(null=True, blank=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="agent_profile_tenant"),
            TenantForeignKey(
                name="agent_profile_endpoint_fk",
                field="endpoint",
                to="agents_modelendpoint",
                on_delete="NO ACTION",
            ),
            models.UniqueConstraint(fields=["tenant", "id"], name="agent_profile_tenant_id"),
            models.UniqueConstraint(fields=["tenant", "version"], name="agent_profile_version"),
            models.UniqueConstraint(
                fields=["tenant"],
                condition=Q(published_at__isnull=False, retired_at__isnull=True),
                name="agent_profile_one_published",
            ),
        ]

    def __str__(self) -> str:
        return f"version {self.version}"


class AgentDraft(TenantScopedModel):
    """The version that is being written, one a tenant; it answers nobody but the playground."""

    # Named settings and not columns: a setting that came later is missing here and takes its
    # default, and publishing copies them into a version's columns.
    settings = models.JSONField(default=dict)
    endpoint = models.ForeignKey(
        ModelEndpoint,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        null=True,
        related_name="+",
    )
    # The version that was published when it was last written.
    based_on = models.PositiveIntegerField(default=0)
    changed_at = models.DateTimeField(db_default=Now())

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="agent_draft_tenant"),
            TenantForeignKey(
                name="agent_draft_endpoint_fk",
                field="endpoint",
                to="agents_modelendpoint",
                on_delete="CASCADE",
            ),
            models.UniqueConstraint(fields=["tenant"], name="agent_draft_one"),
        ]

    def __str__(self) -> str:
        return "draft"
