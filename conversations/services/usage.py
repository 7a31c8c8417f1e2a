"""What a talk has used, repeated on its row for lists; the app that meters writes it."""

from decimal import Decimal
from uuid import UUID

from django.db.models import F

from conversations.models import Conversation


def add_usage(
    conversation_id: UUID, *, input_tokens: int, output_tokens: int, cost: Decimal
) -> None:
    """Add to the totals, in the transaction that books the model calls."""
    Conversation.objects.filter(pk=conversation_id).update(
        input_tokens=F("input_tokens") + input_tokens,
        output_tokens=F("output_tokens") + output_tokens,
        cost=F("cost") + cost,
    )
