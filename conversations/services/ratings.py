"""A customer's verdict."""

from django.db import transaction

from conversations.models import Conversation, Event, Rating
from conversations.services.timeline import By, lock, record_event
from tenants.errors import InvalidInput
from tenants.text import clean_text


@transaction.atomic
def rate(conversation: Conversation, *, score: int, comment: str = "") -> Rating:
    """One to five and a comment; a later verdict replaces the earlier one."""
    if not 1 <= score <= 5:
        raise InvalidInput(errors={"score": ["Give a whole number from 1 to 5."]})
    comment = clean_text(comment, limit=2000) if comment else ""
    row = lock(conversation.id)
    rating, _ = Rating.objects.update_or_create(
        conversation=row, defaults={"score": score, "comment": comment}
    )
    record_event(row, Event.Kind.RATED, by=By.customer(row.customer), detail={"score": score})
    return rating
