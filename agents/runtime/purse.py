"""Stops a run before a request that the budget does not allow any more."""

import asyncio
from collections.abc import Awaitable, Callable
from decimal import Decimal
from time import monotonic
from typing import Any

from agent_framework import ChatContext, ChatMiddleware, FunctionTool

from agents.runtime.loop import step_out
from agents.runtime.metering import characters_of
from agents.runtime.run import Run
from agents.services import holds
from agents.services.budgets import CODE
from agents.services.contract import TurnError
from agents.services.holds import Amount, Holder, Verdict
from agents.services.usage import MeteredCall, price_of
from tenants.scoping import tenant_scope

_DETAIL = (
    "The budget of this {span} is used up. An administrator can raise it on the usage page; until"
    " then the team answers."
)
_BUSY = "What is left of the budget of this {span} was taken by other answers at the same time."
# Others are in the middle of a request meanwhile; longer, and the worker has better things to do.
PATIENCE_SECONDS = 20.0
_PAUSE_SECONDS, _RETRY_SECONDS = 0.25, 5.0


class Purse(ChatMiddleware):
    """Weighs what the turn has used before every request, the first one too.

    What other runs use up as well is weighed together with theirs: the last of a budget is handed
    out to one request at a time.
    """

    def __init__(self, run: Run) -> None:
        self._run = run

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        allowance = self._run.facts.allowance
        code = allowance.reached(self._run.calls)
        if code is not None:
            raise _used_up(code.removeprefix(CODE))
        if allowance.shared:
            await self._wait_for_its_share(self._most(context))
        await call_next()

    async def _wait_for_its_share(self, most: Amount) -> None:
        began = monotonic()
        while True:
            verdict, span = step_out(self._ask, most)
            if verdict is Verdict.GO:
                return
            if verdict is Verdict.USED_UP:
                raise _used_up(span)
            if monotonic() - began > PATIENCE_SECONDS:
                told = _BUSY.format(span=span)
                raise TurnError(
                    CODE + span, retryable=True, retry_after=_RETRY_SECONDS, detail=told
                )
            await asyncio.sleep(_PAUSE_SECONDS)

    def _ask(self, most: Amount) -> tuple[Verdict, str]:
        run, claimed = self._run, self._run.claimed
        seconds = run.facts.turn_seconds + PATIENCE_SECONDS
        holder = Holder(claimed.turn_id, claimed.fence, seconds)
        with tenant_scope(claimed.tenant_id):
            used = self._counted(run.calls)
            return holds.ask(holder, run.facts.allowance, used=used, wanted=most)

    def _counted(self, calls: list[MeteredCall]) -> Amount:
        currency = self._run.facts.allowance.currency
        costs = (call.cost for call in calls if call.currency == currency)
        tokens = sum(call.input_tokens + call.output_tokens for call in calls)
        return Amount(tokens, sum(costs, Decimal(0)))

    def _most(self, context: ChatContext) -> Amount:
        """More than the request will take: a token is a character at least."""
        spec, options = self._run.facts.client, context.options or {}
        tools = [tool for tool in options.get("tools") or [] if isinstance(tool, FunctionTool)]
        given = characters_of(context) + sum(map(_characters, tools))
        made = spec.max_output_tokens
        counts = spec.currency == self._run.facts.allowance.currency
        cost = price_of(given, made, spec.input_price, spec.output_price) if counts else Decimal(0)
        return Amount(given + made, cost)


def _characters(tool: FunctionTool) -> int:
    spec: Any = tool.to_json_schema_spec()
    return len(str(spec))


def _used_up(span: str) -> TurnError:
    return TurnError(CODE + span, retryable=False, detail=_DETAIL.format(span=span))
