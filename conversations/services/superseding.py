"""An answer that another one will take the place of."""

from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Now

from conversations import live, transcript
from conversations.models import Conversation, Message, MessageRole


def supersede(conversation: Conversation, *, turn_id: UUID) -> Conversation:
    """What this turn said stays for members; for customers and the model it was not said.

    The customer's lines that it answered stand unanswered again. Calls and results stay for the
    model: what is done is done, and the next answer must know it. The caller holds the lock.
    """
    said = _said(conversation).filter(turn_id=turn_id, role=MessageRole.AGENT)
    count = said.update(superseded_at=Now())
    conversation.refresh_from_db()
    answers = _said(conversation).exclude(role=MessageRole.CUSTOMER)
    conversation.answered_seq = _last_seq(answers.filter(seq__lt=conversation.customer_seq))
    conversation.message_count = max(conversation.message_count - count, 0)
    conversation.waiting_since = Now()
    newest = _said(conversation).order_by("-seq").first()
    if newest is not None:
        conversation.last_message_at = newest.created_at
        conversation.last_message_by = newest.role
        conversation.last_message_preview = transcript.preview(newest.text)
    conversation.save(
        update_fields=[
            "answered_seq", "message_count", "waiting_since", "last_message_at",
            "last_message_by", "last_message_preview",
        ]
    )  # fmt: skip
    conversation.refresh_from_db()
    live.ring(conversation.id, "edited", "state")
    return conversation


def _said(conversation: Conversation) -> QuerySet[Message]:
    rows = Message.objects.filter(conversation=conversation, superseded_at__isnull=True)
    return rows.exclude(text="").exclude(role=MessageRole.TOOL)


def _last_seq(rows: QuerySet[Message]) -> int:
    return rows.order_by("-seq").values_list("seq", flat=True).first() or 0
