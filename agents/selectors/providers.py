"""To which model providers words of some conversations went, and until when they may keep them."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.db.models import Max

from agents.models import ModelCall
from conversations.hooks import Provider

# Abuse monitoring of the large providers: a month, longer where the law demands it.
KEEPS = timedelta(days=30)
_OURS = "offline"


def providers_of(conversation_ids: Sequence[UUID]) -> list[Provider]:
    """Each model that was called, with the last day on which its provider may hold a copy."""
    sent = ModelCall.objects.filter(conversation_id__in=conversation_ids).exclude(api=_OURS)
    found = sent.values("api", "model").annotate(last=Max("created_at")).order_by("api", "model")
    return [Provider(f"{one['model']} ({one['api']})", one["last"] + KEEPS) for one in found]
