"""Telling open pages that something happened. Redis carries ids; the rows are the truth."""

from typing import Any
from uuid import UUID


def ring(conversation_id: UUID, kind: str) -> None:
    """After commit, wake the streams of this conversation."""


def publish(conversation_id: UUID, event: str, data: dict[str, Any]) -> None:
    """At once: a passing event."""
