"""To which model providers words of some conversations went, and until when they may keep them."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.db.models import Max

from agents.models import ModelCall, ServiceHistory
from conversations.hooks import Provider

# Abuse monitoring of the large providers: a month, longer where the law demands it.
KEEPS = timedelta(days=30)
_OURS = "offline"


def providers_of(conversation_ids: Sequence[UUID]) -> list[Provider]:
    """Each model that was called, with the last day on which its provider may hold a copy."""
    sent = ModelCall.objects.filter(conversation_id__in=conversation_ids).exclude(api=_OURS)
    found = sent.values("api", "model").annotate(last=Max("created_at")).order_by("api", "model")
    kept = ServiceHistory.objects.filter(conversation__in=conversation_ids)
    keepers = set(kept.values_list("endpoint__api", "endpoint__model").distinct())
    return [
        Provider(_name(**one, keeps=(one["api"], one["model"]) in keepers), one["last"] + KEEPS)
        for one in found
    ]


def _name(*, api: str, model: str, keeps: bool, **_: object) -> str:
    """Says so where the provider was to keep the conversation itself: it may do so for longer."""
    return f"{model} ({api}, keeps the conversation)" if keeps else f"{model} ({api})"
