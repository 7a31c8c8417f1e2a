"""What the agent would say, for a teammate to send."""

from django.db import models
from django.db.models import Q

from agents.models.turn import Turn
from conversations.models import Conversation, ExpiringModel
from conversations.models.expiring import expiry_index
from tenants.constraints import RowSecurity, TenantForeignKey


class ReplyDraft(ExpiringModel):
    """Words of the agent that no customer reads: never a message until a member sends them.

    `saw_seq` is the last line that they know. The words go with the end of the draft: what was sent
    is a message by then, and the rest is nobody's.
    """

    class State(models.TextChoices):
        OPEN = "open", "Waits for a teammate"
        SENT = "sent", "Sent as written"
        CHANGED = "changed", "Sent with changes"
        DISCARDED = "discarded", "Thrown away"
        REPLACED = "replaced", "Replaced"

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
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    text = models.TextField(blank=True)
    sources = models.JSONField(null=True)
    saw_seq = models.BigIntegerField()

    class Meta(ExpiringModel.Meta):
        constraints = [
            RowSecurity(name="reply_draft_tenant"),
            TenantForeignKey(
                name="reply_draft_conversation_fk",
                field="conversation",
                to="conversations_conversation",
            ),
            TenantForeignKey(name="reply_draft_turn_fk", field="turn", to="agents_turn"),
            models.UniqueConstraint(fields=["tenant", "turn"], name="reply_draft_of_turn"),
            models.UniqueConstraint(
                fields=["tenant", "conversation"],
                condition=Q(state="open"),
                name="reply_draft_one_open",
            ),
            models.CheckConstraint(
                name="reply_draft_words_while_open", condition=Q(state="open") | Q(text="")
            ),
        ]
        indexes = [
            # The conversation's cascade.
            models.Index(fields=["tenant", "conversation"], name="reply_draft_of_talk"),
            # What retention hides and purges.
            expiry_index("reply_draft_expiry"),
        ]

    def is_stale_in(self, conversation: Conversation) -> bool:
        """Whether something was said that this draft does not know."""
        return conversation.spoken_seq > self.saw_seq

    def __str__(self) -> str:
        return f"draft of turn {self.turn_id} ({self.state})"
