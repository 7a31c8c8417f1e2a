"""What stands around every tool call, alike whether the answer streams or not."""

import json
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any
from uuid import UUID

from agent_framework import FunctionInvocationContext, FunctionMiddleware, MiddlewareFailure
from pydantic import BaseModel

from agents.runtime.loop import step_out
from agents.runtime.mapping import scrub
from agents.runtime.policy import rule_for, tool_of
from agents.runtime.run import Run
from agents.runtime.tools.decorator import fitted
from agents.services import journal
from agents.services.contract import Fenced
from agents.services.tools import used_up_today
from tenants.scoping import tenant_scope

CallNext = Callable[[], Awaitable[None]]

_UNKNOWN = (
    "An earlier attempt began this and was interrupted; whether it happened is unknown. It was not"
    " repeated. A person of the team will check. Tell the customer exactly that."
)
_DONE_OTHERWISE = (
    "An earlier attempt of this same answer already did this, with the arguments {arguments}; its"
    " result was: {result}\nIt was not repeated. Call again only for something really different."
)
_NO_MORE_TODAY = (
    "Not done: this was used as often as the company allows in one day. Offer a person."
)
_NEEDS_A_CHECK = "A tool call was interrupted and its outcome is unknown: {name}."


class Journal(FunctionMiddleware):
    """Lets a tool act once in a turn, however often the turn is attempted, and not too often."""

    def __init__(self, run: Run) -> None:
        self._run = run

    async def process(self, context: FunctionInvocationContext, call_next: CallNext) -> None:
        name = context.function.name
        step = step_out(
            self._begin,
            name,
            _plain(context.arguments),
            mine=context.metadata.get("calls_of_this_turn", 1),
        )
        if step is None:
            context.result = _NO_MORE_TODAY
            return
        if step.verdict is journal.Verdict.RUN:
            await self._carry_out(context, call_next, step)
        else:
            context.result = self._words(name, step)

    async def _carry_out(
        self, context: FunctionInvocationContext, call_next: CallNext, step: journal.Step
    ) -> None:
        context.metadata["idempotency_key"] = f"{self._run.claimed.turn_id}:{step.number}"
        started = monotonic()
        await call_next()
        context.result = self._without_keys(context.result)
        step_out(
            self._finish,
            step.id,
            _text(context.result),
            round((monotonic() - started) * 1000),
            failed=bool(context.metadata.get("failed")),
        )

    def _without_keys(self, result: Any) -> Any:
        """What a tool proves itself with reaches neither the model nor the journal."""
        secrets = self._run.facts.secrets
        if isinstance(result, str):
            return secrets.without_known(result)
        for content in result or []:
            if content.text:
                content.text = secrets.without_known(content.text)
        return result

    def _words(self, name: str, step: journal.Step) -> str:
        if step.verdict is journal.Verdict.REPLAY:
            return step.result
        if step.verdict is journal.Verdict.UNKNOWN:
            self._run.asks_for_person = _NEEDS_A_CHECK.format(name=name)
            return _UNKNOWN
        arguments = json.dumps(step.arguments, ensure_ascii=False)
        return _DONE_OTHERWISE.format(arguments=arguments, result=step.result)

    def _begin(self, name: str, arguments: dict[str, Any], *, mine: int) -> journal.Step | None:
        """The step of this call; None when the day has none left."""
        claimed, limit = self._run.claimed, rule_for(self._run.facts, name).per_day
        tool = tool_of(self._run.facts, name)
        with tenant_scope(claimed.tenant_id):
            if not journal.is_held(claimed.turn_id, fence=claimed.fence):
                raise MiddlewareFailure("The turn was taken away.") from Fenced()
            if limit is not None and used_up_today(
                name, limit=limit, turn_id=claimed.turn_id, mine=mine
            ):
                return None
            step = journal.begin_call(
                claimed.turn_id,
                name=name,
                arguments=arguments,
                repeatable=tool is not None and tool.repeatable,
                seen=self._run.steps,
            )
        # In the same go: the next call of a batch begins before this one's loop runs on, and must
        # not take this step for one that an earlier attempt left unfinished.
        self._run.steps.add(step.id)
        return step

    def _finish(self, step_id: UUID, result: str, duration_ms: int, *, failed: bool) -> None:
        with tenant_scope(self._run.claimed.tenant_id):
            journal.finish_call(step_id, result=result, duration_ms=duration_ms, failed=failed)


def _plain(arguments: Any) -> dict[str, Any]:
    values = arguments.model_dump() if isinstance(arguments, BaseModel) else dict(arguments or {})
    plain: dict[str, Any] = json.loads(json.dumps(scrub(values), default=str))
    return plain


def _text(result: Any) -> str:
    if isinstance(result, str):
        return fitted(result)
    texts = [content.text or "" for content in result or []]
    return fitted("\n".join(texts))
