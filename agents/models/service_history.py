"""What a model's service remembers of a conversation, where a tenant lets it."""

from django.db import models

from agents.models.profile import ModelEndpoint
from conversations.models import Conversation
from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.scoping import TenantScopedModel


class ServiceHistory(TenantScopedModel):
    """The service's id of one answer: from there it can go on by itself.

    A shortcut and never the truth: the conversation's own rows stay whole, and whatever makes an id
    doubtful ends its use, so that the next turn sends the rows.
    """

    conversation = models.ForeignKey(
        Conversation,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    endpoint = models.ForeignKey(
        ModelEndpoint,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    # Whose lines the answer is; a fork has copied them with the turn's id.
    turn_id = models.UUIDField()
    response_id = models.CharField(max_length=200)
    # The last line that the service was given before it answered.
    saw_seq = models.BigIntegerField()
    # Seals id, tenant, conversation and address together: checked on every use. Broken (empty) for
    # an answer that is not gone on from any more, and which the provider keeps all the same.
    seal = models.CharField(max_length=64)
    # Taken over by a fork: its id belongs to another conversation as well.
    forked = models.BooleanField(default=False)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="service_history_tenant"),
            TenantForeignKey(
                name="service_history_conversation_fk",
                field="conversation",
                to="conversations_conversation",
            ),
            TenantForeignKey(
                name="service_history_endpoint_fk",
                field="endpoint",
                to="agents_modelendpoint",
                on_delete="CASCADE",
            ),
            # The way from a conversation to its newest answer, too.
            models.UniqueConstraint(
                fields=["tenant", "conversation", "turn_id"], name="service_history_of_turn"
            ),
            # No id is ever two conversations', unless one was forked from the other.
            models.UniqueConstraint(
                fields=["tenant", "endpoint", "response_id"],
                condition=models.Q(forked=False),
                name="service_history_id",
            ),
        ]

    def __str__(self) -> str:
        return f"answer up to {self.saw_seq}"
