"""Rows of talks and turns for tests of the agent loop."""

from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from django.db.models.functions import Now

from agents.models import Turn
from agents.runtime.runner import Desk
from agents.services.contract import ClaimedTurn, TurnAnswer
from agents.services.endpoints import EndpointSettings, set_endpoint
from agents.services.profiles import ProfileSettings, publish_profile
from conversations.models import Conversation, Customer
from conversations.transcript import NewRow, append
from tenants.models import Tenant
from tenants.scoping import tenant_scope


@dataclass
class Recorder:
    """Stands where the engine stands: stores the rows of an answer, and remembers what came."""

    answers: list[TurnAnswer] = field(default_factory=list)
    deltas: list[dict[str, Any]] = field(default_factory=list)
    typing: list[bool] = field(default_factory=list)
    beats: int = 0
    alive: bool = True
    refuse: Exception | None = None
    lock: Lock = field(default_factory=Lock)

    def commit(self, claimed: ClaimedTurn, *, answer: TurnAnswer) -> None:
        if self.refuse:
            raise self.refuse
        with tenant_scope(claimed.tenant_id):
            append(claimed.conversation_id, answer.rows, by="agent")
        self.answers.append(answer)

    def heartbeat(self, claimed: ClaimedTurn) -> bool:
        self.beats += 1
        return self.alive

    def publish(self, claimed: ClaimedTurn, data: dict[str, Any]) -> None:
        self.deltas.append(data)

    def types(self, claimed: ClaimedTurn, name: str, *, on: bool) -> None:
        self.typing.append(on)

    @property
    def desk(self) -> Desk:
        return Desk(
            commit=self.commit, heartbeat=self.heartbeat, publish=self.publish, typing=self.types
        )


def make_tenant(slug: str = "acme", **profile: Any) -> Tenant:
    tenant = Tenant.objects.create(slug=slug, name=slug.title())
    with tenant_scope(tenant.id):
        version = set_endpoint(EndpointSettings(api="offline", model="offline"), trusted=True)
        if profile:
            publish_profile(endpoint=version.endpoint, settings=ProfileSettings(**profile))
    return tenant


def make_talk(tenant: Tenant, *lines: str, locale: str = "en") -> Any:
    with tenant_scope(tenant.id):
        customer = Customer.objects.create(name="Ada")
        talk = Conversation.objects.create(customer=customer, locale=locale)
        for line in lines:
            post(talk, line)
    return talk


def post(talk: Any, text: str) -> None:
    row = NewRow(role="customer", text=text, customer_id=talk.customer_id)
    with tenant_scope(talk.tenant_id):
        assert append(talk.id, [row], by="customer")


def reply(talk: Any, text: str, name: str = "Sam") -> None:
    with tenant_scope(talk.tenant_id):
        assert append(talk.id, [NewRow(role="member", text=text, author_name=name)], by="member")


def claim(talk: Any, *, attempt: int = 1, seconds: float = 30, reason="customer"):
    """A running turn, as the engine's claim would leave it."""
    with tenant_scope(talk.tenant_id):
        turn = Turn.objects.create(
            conversation=talk,
            reason=reason,
            state="running",
            attempt=attempt,
            fence=attempt,
            lease_until=Now(),
            deadline_at=Now(),
        )
    return ClaimedTurn(
        tenant_id=talk.tenant_id,
        turn_id=turn.id,
        conversation_id=talk.id,
        fence=attempt,
        attempt=attempt,
        deadline_seconds=seconds,
        reason=reason,
    )


def ended(claimed: ClaimedTurn) -> None:
    """The turn as it is once its answer is stored: another may be claimed."""
    with tenant_scope(claimed.tenant_id):
        Turn.objects.filter(id=claimed.turn_id).update(
            state="succeeded", lease_until=None, finished_at=Now()
        )
