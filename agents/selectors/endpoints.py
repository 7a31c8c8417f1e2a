"""Model endpoints as the web admin lists them."""

from typing import NamedTuple

from agents.models import AgentProfile, ModelEndpoint


class Listed(NamedTuple):
    """An endpoint, and whether it is the one that answers."""

    endpoint: ModelEndpoint
    answers: bool


def endpoints() -> list[Listed]:
    """All of the tenant's endpoints by name, without deleted ones; keys are not read."""
    published = AgentProfile.objects.filter(published_at__isnull=False, retired_at__isnull=True)
    chosen = published.values_list("endpoint_id", flat=True).first()
    rows = ModelEndpoint.objects.filter(deleted_at__isnull=True).defer("key_encrypted")
    return [Listed(row, row.id == chosen) for row in rows.order_by("name", "id")]


def answers(endpoint: ModelEndpoint) -> bool:
    """Whether this endpoint is the one that answers customers."""
    published = AgentProfile.objects.filter(published_at__isnull=False, retired_at__isnull=True)
    return published.filter(endpoint=endpoint).exists()
