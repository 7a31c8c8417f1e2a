"""What was said before, in short."""

from django.db import models

from conversations.models.conversation import Conversation
from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.scoping import TenantScopedModel


class Summary(TenantScopedModel):
    """A version of the rolling summary: what a turn was shown can be read again.

    The newest stands on the conversation too; a change of the words that it was made of removes
    all of them.
    """

    conversation = models.ForeignKey(
        Conversation,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    # The last line that it tells of.
    seq = models.BigIntegerField()
    text = models.TextField()

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="summary_tenant"),
            TenantForeignKey(
                name="summary_conversation_fk",
                field="conversation",
                to="conversations_conversation",
            ),
            # The newest of a talk; the conversation's cascade.
            models.UniqueConstraint(fields=["tenant", "conversation", "seq"], name="summary_once"),
        ]

    def __str__(self) -> str:
        return f"summary up to {self.seq}"
