"""The agent tried out by a member: the framework's own memory, no customer, no row, no effect.

The talk lives in the page that shows it and is given back with every question. Tools that only read
do run; all others answer what they would have done. Model calls are booked under a purpose of their
own, for no conversation, and count for the budgets of the day and the month.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from decimal import Decimal
from time import monotonic
from typing import Any
from uuid import UUID

from agent_framework import (
    Agent,
    AgentSession,
    FunctionInvocationContext,
    FunctionMiddleware,
    FunctionTool,
    InMemoryHistoryProvider,
    Message,
)
from django.utils import timezone
from pydantic import BaseModel

from agents.access import profile_for_member
from agents.models import ModelCall
from agents.runtime.background import key_of, passages_for
from agents.runtime.clients import MAX_TOOL_CALLS, ClientFactory, open_client
from agents.runtime.context import BACKGROUND, FACTS, instructions
from agents.runtime.errors import turn_error
from agents.runtime.facts import client_spec
from agents.runtime.loop import run_here
from agents.runtime.mapping import scrub
from agents.runtime.metering import Meter
from agents.runtime.options import default_options
from agents.runtime.policy import must_ask, needs_verified, offered_tools, tool_of
from agents.runtime.purse import Purse
from agents.runtime.run import Facts, Run
from agents.runtime.stray_ids import StrayIds
from agents.runtime.tools.decorator import fitted
from agents.runtime.tools.own import own_tools
from agents.runtime.tools.registry import load_tools
from agents.selectors import profiles
from agents.services import holds
from agents.services.budgets import tenant_limits
from agents.services.contract import ClaimedTurn
from agents.services.profiles import (
    EndpointDeleted,
    NothingToPublish,
    current_draft,
    settings_of,
)
from agents.services.tools import tool_rules
from agents.services.usage import MeteredCall, book_calls
from tenants.models import Member
from tenants.scoping import new_id, tenant_scope

TRIAL_SECONDS = 60.0
_WOULD = (
    "This is a trial: nothing was done. Outside of it, {name} would have been called with"
    " {arguments}{approval}. Go on as if it had worked."
)
_APPROVAL = ", once a person of the team had approved it"
_NOT_VERIFIED = "Not done: this needs a customer who has proven who they are."
_TOO_MANY = "Not done: too many tool calls for one answer. Answer now with what you have."
_SESSION = "playground"


@dataclass(frozen=True)
class Step:
    """A tool that the model asked for, and what it was told."""

    name: str
    arguments: dict[str, Any]
    result: str
    # "ran", "would" (it writes or needs approval), or "refused".
    outcome: str


@dataclass
class Trial:
    """One question and all that came of it."""

    text: str = ""
    problem: str = ""
    steps: list[Step] = field(default_factory=list)
    sources: list[dict[str, Any]] = field(default_factory=list)
    calls: list[MeteredCall] = field(default_factory=list)
    asks_for_person: str = ""
    milliseconds: int = 0
    # The framework's session as plain data, for the next question.
    session: dict[str, Any] = field(default_factory=dict)

    @property
    def cost(self) -> Decimal:
        return sum((call.cost for call in self.calls), Decimal(0))


def facts_for_trial(member: Member, version: UUID | None, *, verified: bool) -> Facts:
    """What a version, or the draft for None, would tell its model; read in one short scope."""
    with tenant_scope(member.tenant.id):
        if version is None:
            draft = current_draft()
            settings, endpoint = draft.settings, draft.endpoint
        else:
            profile = profile_for_member(member, version)
            settings, endpoint = settings_of(profile), profile.endpoint
        if endpoint is None:
            raise NothingToPublish
        if endpoint.deleted_at is not None:
            raise EndpointDeleted
        tenant = member.tenant
        return Facts(
            tenant_name=tenant.name,
            hours=tenant.hours,
            today=timezone.localtime().strftime("%A, %d %B %Y"),
            locale=tenant.locale,
            customer_id=new_id(),
            customer_verified=verified,
            agent_name=tenant.agent_name,
            instructions=settings.instructions,
            tools=settings.tools,
            rules=tool_rules(),
            own_tools=own_tools(settings.tools),
            window=settings.window,
            max_steps=settings.max_steps,
            turn_seconds=min(settings.turn_seconds, TRIAL_SECONDS),
            context=settings.context,
            client=client_spec(endpoint, locale=tenant.locale, max_steps=settings.max_steps),
            allowance=tenant_limits(),
        )


def ask(
    member: Member,
    facts: Facts,
    question: str | Sequence[Message],
    *,
    session: dict[str, Any] | None = None,
    client: ClientFactory | None = None,
    about: UUID | None = None,
) -> Trial:
    """Answers in the light of `session`; what goes wrong is told in `problem`, never raised.

    What the model took is booked in a short scope at the end; `about` is the conversation whose
    words it was given, in a comparison.
    """
    trial, started = Trial(session=session or {}), monotonic()
    if isinstance(question, str):
        facts = _with_passages(member, facts, question)
    run = Run(
        _nobodys_turn(member, facts),
        facts,
        trial.calls,
        _never,
        clients=client or open_client,
        guards=lambda one: [DryRun(one.facts, trial.steps)],
    )
    purpose = ModelCall.Purpose.COMPARE if about else ModelCall.Purpose.PLAYGROUND
    try:
        run_here(_answer(run, trial, question, purpose))
    except Exception as error:  # noqa: BLE001 - a member tries things out and reads what failed
        known = turn_error(error, secret=facts.client.api_key)
        trial.problem = f"{known.code}: {known.detail}"
    with tenant_scope(member.tenant.id):
        holds.release(run.claimed.turn_id, fence=run.claimed.fence)
        book_calls(trial.calls, conversation_id=about)
    trial.sources, trial.asks_for_person = run.sources, run.asks_for_person or ""
    trial.milliseconds = round((monotonic() - started) * 1000)
    return trial


def _with_passages(member: Member, facts: Facts, question: str) -> Facts:
    """The one source that a talk without a customer has."""
    if "passages" not in facts.context:
        return facts
    with tenant_scope(member.tenant.id):
        key = key_of(new_id())
        told = passages_for(question, key)
    return replace(facts, told=(told,), fence=key) if told else facts


async def _answer(run: Run, trial: Trial, question: str | Sequence[Message], purpose: str) -> None:
    load_tools()
    session = run.session()
    if trial.session:
        session.state.update(AgentSession.from_dict(trial.session).state)
    async with asyncio.timeout(run.facts.turn_seconds), run.clients(run.facts.client) as client:
        tools = [_without_approval(tool) for tool in offered_tools(run.facts)]
        agent = Agent(
            client,
            instructions(run.facts),
            tools=tools or None,
            default_options=default_options(run.facts.client, has_tools=bool(tools)),
            context_providers=[*BACKGROUND, TrialMemory(), FACTS],
            middleware=[
                Purse(run),
                Meter(run.facts.client, run.calls, run.facts.secrets, purpose=purpose),
                DryRun(run.facts, trial.steps),
                StrayIds(run),
            ],
        )
        stream = agent.run(
            question, stream=True, session=session, function_invocation_kwargs={"run": run}
        )
        async for _ in stream:
            pass
        trial.text = (await stream.get_final_response()).text
    trial.session = _kept(session)


class TrialMemory(InMemoryHistoryProvider):
    """The framework's memory, without its habit of dropping a line that was said before."""

    async def save_messages(
        self,
        session_id: str | None,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if state is not None:
            state["messages"] = [*state.get("messages", []), *messages]


class DryRun(FunctionMiddleware):
    """Lets tools run that only read; the others say what they would have done."""

    def __init__(self, facts: Facts, steps: list[Step]) -> None:
        self._facts, self._steps = facts, steps

    async def process(
        self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]
    ) -> None:
        name, arguments = context.function.name, _plain(context.arguments)
        outcome, words = self._verdict(name, arguments)
        if outcome == "ran":
            await call_next()
            words = _text(context.result)
        else:
            context.result = words
        self._steps.append(Step(name, arguments, words, outcome))

    def _verdict(self, name: str, arguments: dict[str, Any]) -> tuple[str, str]:
        facts = self._facts
        tool = tool_of(facts, name)
        if len(self._steps) >= MAX_TOOL_CALLS:
            return "refused", _TOO_MANY
        if tool is None:
            return "refused", "Not done: there is no such tool."
        if needs_verified(facts, name) and not facts.customer_verified:
            return "refused", _NOT_VERIFIED
        asks = must_ask(facts, name, arguments)
        if tool.repeatable and not asks:
            return "ran", ""
        said = json.dumps(arguments, ensure_ascii=False)
        approval = _APPROVAL if asks else ""
        return "would", _WOULD.format(name=name, arguments=said, approval=approval)


def _without_approval(tool: FunctionTool) -> FunctionTool:
    """The same tool for the model; nobody decides in a trial, where nothing is carried out."""
    free = copy(tool)
    free.approval_mode = "never_require"
    return free


def _nobodys_turn(member: Member, facts: Facts) -> ClaimedTurn:
    return ClaimedTurn(
        tenant_id=member.tenant.id,
        turn_id=new_id(),
        conversation_id=new_id(),
        fence=0,
        attempt=1,
        deadline_seconds=facts.turn_seconds,
        reason="customer",
    )


def _never(*_: Any, **__: Any) -> None:
    raise RuntimeError("A trial commits nothing.")


def _kept(session: AgentSession) -> dict[str, Any]:
    """Only the memory: the run's own ids and objects are made anew each time."""
    memory = TrialMemory.DEFAULT_SOURCE_ID
    kept = AgentSession(session_id=_SESSION)
    kept.state[memory] = session.state.get(memory, {})
    plain: dict[str, Any] = json.loads(json.dumps(scrub(kept.to_dict()), default=str))
    return plain


def _plain(arguments: Any) -> dict[str, Any]:
    values = arguments.model_dump() if isinstance(arguments, BaseModel) else dict(arguments or {})
    plain: dict[str, Any] = json.loads(json.dumps(scrub(values), default=str))
    return plain


def _text(result: Any) -> str:
    if isinstance(result, str):
        return fitted(result)
    return fitted("\n".join(content.text or "" for content in result or []))


def versions_to_try(member: Member) -> list[tuple[str, int]]:
    """Ids and numbers of the newest versions, newest first."""
    with tenant_scope(member.tenant.id):
        return [(str(row.id), row.version) for row in profiles.versions()]
