"""What the engine and the agent's run say to each other."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from agents.services.approvals import RequestedCall
from agents.services.usage import MeteredCall
from conversations.transcript import NewRow


class Fenced(Exception):
    """The turn is not this worker's any more: stop, and write nothing of it."""


class TurnError(Exception):
    """Why an attempt failed; `detail` is for members only."""

    def __init__(
        self,
        code: str,
        *,
        retryable: bool,
        detail: str = "",
        retry_after: float | None = None,
        provider_status: int | None = None,
    ) -> None:
        super().__init__(code)
        self.code, self.retryable, self.detail = code, retryable, detail
        self.retry_after, self.provider_status = retry_after, provider_status


@dataclass(frozen=True, slots=True)
class ClaimedTurn:
    """A turn that this worker holds until the fence moves on."""

    tenant_id: UUID
    turn_id: UUID
    conversation_id: UUID
    fence: int
    attempt: int
    deadline_seconds: float
    reason: str
    # It writes for a teammate to send; nothing of it reaches the customer.
    drafts: bool = False


@dataclass(frozen=True, slots=True)
class ServiceAnswer:
    """The id by which a model's service can go on from this answer."""

    endpoint_id: UUID
    response_id: str


@dataclass(slots=True)
class TurnAnswer:
    """The agent's side of a turn: rows in order, the last one the text; and what it cost."""

    rows: list[NewRow]
    saw_seq: int
    calls: list[MeteredCall] = field(default_factory=list)
    asks_for_person: str | None = None
    session_state: dict[str, Any] | None = None
    awaiting_approval: bool = False
    # The calls that wait for a member, when `awaiting_approval`.
    requests: list[RequestedCall] = field(default_factory=list)
    # Where the tenant lets the model's service remember the conversation.
    service: ServiceAnswer | None = None
