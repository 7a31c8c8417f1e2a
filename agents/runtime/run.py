"""What one execution of a turn carries along; a new object for every run, shared by nobody."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from uuid import UUID

from agent_framework import AgentSession

from agents.models import SumsUp
from agents.runtime.clients import ClientFactory, ClientSpec, open_client
from agents.runtime.extent import TOKEN_BUDGET
from agents.runtime.secrets import Secrets
from agents.services.approvals import RequestedCall
from agents.services.budgets import NO_LIMIT, Allowance
from agents.services.contract import ClaimedTurn, ServiceAnswer, TurnAnswer
from agents.services.service_history import Known
from agents.services.tokens import CHARACTERS
from agents.services.tools import ToolRule
from agents.services.usage import MeteredCall
from conversations.transcript import NewRow

# The provider's key in a session's state: plain ids, so that any process can go on from them.
STATE_KEY = "desk"
_LIVE_KEY = "desk.run"
APPROVALS_KEY = "tool_approval"


@dataclass(frozen=True)
class Told:
    """What one source adds to a turn beside the talk; `refs` names the rows it was made from."""

    source: str
    text: str
    refs: dict[str, Any] = field(default_factory=dict)
    # The pages that an answer may rest on.
    pages: tuple[dict[str, str], ...] = ()


@dataclass(frozen=True)
class Facts:
    """What the agent must know before it starts, read once in a short scope."""

    tenant_name: str
    hours: str
    today: str
    locale: str
    customer_id: UUID
    customer_verified: bool
    agent_name: str
    instructions: str
    tools: tuple[str, ...]
    window: int
    max_steps: int
    turn_seconds: float
    client: ClientSpec
    # The tenant's tools by configuration, by name.
    own_tools: Mapping[str, Any] = field(default_factory=dict)
    # The tenant's own, by the tool's name.
    rules: Mapping[str, ToolRule] = field(default_factory=dict)
    # The framework's state of the batch that this turn resumes.
    session_state: dict[str, Any] | None = None
    # Ids of the requests that this turn resumes, or that it leaves to wait.
    pending: frozenset[str] = frozenset()
    # The turn that asked for what is resumed, and what the agent is told of requests.
    asked_by: UUID | None = None
    about_approvals: tuple[str, ...] = ()
    # Which version of the agent this is.
    profile_id: UUID | None = None
    profile_version: int = 0
    # What the turn is told beside the talk, and the sources that may tell it.
    context: tuple[str, ...] = ()
    told: tuple[Told, ...] = ()
    # The key of the fences around it.
    fence: str = ""
    # How much of the talk it is shown, who counts, and when the rest is summed up.
    token_budget: int = TOKEN_BUDGET
    tokenizer: str = CHARACTERS
    sums_up: str = SumsUp.OFF.value
    # What this run may use.
    allowance: Allowance = NO_LIMIT
    # Whether the model's service may remember this answer, and which one it goes on from.
    keeps_history: bool = False
    endpoint_id: UUID | None = None
    known: Known | None = None

    @cached_property
    def secrets(self) -> Secrets:
        """What no answer may repeat: the model's key, and what tools prove themselves with."""
        of_tools = (secret for tool in self.own_tools.values() for secret in tool.secrets)
        return Secrets([self.client.api_key, *of_tools])


@dataclass(frozen=True)
class Waiting:
    """A batch that needs a member: the framework's state of it, and its calls."""

    state: dict[str, Any]
    calls: list[RequestedCall]


@dataclass
class Run:
    """One attempt at a turn: who, what it knows, what it did so far."""

    claimed: ClaimedTurn
    facts: Facts
    calls: list[MeteredCall]
    commit: Callable[..., None]
    rows: list[NewRow] = field(default_factory=list)
    sources: list[dict[str, Any]] = field(default_factory=list)
    asks_for_person: str | None = None
    committed: bool = False
    # Keeps, by reference, what the model is shown.
    note: Callable[..., None] | None = None
    # How clients of models are opened, a specialist's too.
    clients: ClientFactory = open_client
    # Stands around tools in place of the policy and the journal: a trial's dry run.
    guards: "Callable[[Run], list[Any]] | None" = None
    # How often each tool was asked for, and the journal's steps that this attempt has met: one
    # count for the agent and the specialists that it asks.
    asked: Counter[str] = field(default_factory=Counter)
    steps: set[UUID] = field(default_factory=set)

    def session(self) -> AgentSession:
        """A session that holds this run's ids; its text lives in the rows only."""
        known = self.facts.known
        session = AgentSession(
            session_id=str(self.claimed.conversation_id),
            service_session_id=known.response_id if known else None,
        )
        session.state[STATE_KEY] = {
            "tenant_id": str(self.claimed.tenant_id),
            "conversation_id": str(self.claimed.conversation_id),
            "turn_id": str(self.claimed.turn_id),
            "window": self.facts.window,
            "token_budget": self.facts.token_budget,
            "tokenizer": self.facts.tokenizer,
            "summed_up": self.facts.sums_up != SumsUp.OFF,
            "vendor": self.facts.client.vendor,
            "pending": sorted(self.facts.pending),
            "resumes": self.facts.session_state is not None,
            "resumes_from": str(self.facts.asked_by) if self.facts.asked_by else None,
            "known": {"turn_id": str(known.turn_id), "saw_seq": known.saw_seq} if known else None,
        }
        session.state[_LIVE_KEY] = self
        if self.facts.session_state:
            session.state[APPROVALS_KEY] = self.facts.session_state
        return session

    def note_source(self, source: dict[str, Any]) -> None:
        """Remembers what the answer may rest on, each source once."""
        if source not in self.sources:
            self.sources.append(source)

    def answer(
        self, *, saw_seq: int, waiting: Waiting | None, service_id: str | None = None
    ) -> TurnAnswer:
        endpoint_id = self.facts.endpoint_id
        return TurnAnswer(
            rows=self.rows,
            saw_seq=saw_seq,
            calls=self.calls,
            asks_for_person=self.asks_for_person,
            session_state=waiting.state if waiting else None,
            awaiting_approval=waiting is not None,
            requests=waiting.calls if waiting else [],
            service=ServiceAnswer(endpoint_id, service_id) if endpoint_id and service_id else None,
        )


def run_of(session: AgentSession | None) -> Run:
    """The live run of a session; raises for a session that no runner made."""
    state = session.state if session is not None else {}
    if _LIVE_KEY not in state:
        raise LookupError("This session belongs to no running turn.")
    run: Run = state[_LIVE_KEY]
    return run


def pending_ids(state: dict[str, Any] | None) -> set[str]:
    """The ids of approval requests that wait for a decision."""
    requests = (state or {}).get("pending_approval_requests") or []
    return {request["id"] for request in requests if isinstance(request, dict) and "id" in request}
