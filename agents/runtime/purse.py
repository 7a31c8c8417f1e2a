"""Stops a run before a request that the budget does not allow any more."""

from collections.abc import Awaitable, Callable

from agent_framework import ChatContext, ChatMiddleware

from agents.runtime.run import Run
from agents.services.contract import TurnError

_DETAIL = (
    "The budget of this {span} is used up. An administrator can raise it on the usage page; until"
    " then the team answers."
)


class Purse(ChatMiddleware):
    """Weighs what the turn has used before every request, the first one too."""

    def __init__(self, run: Run) -> None:
        self._run = run

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        code = self._run.facts.allowance.reached(self._run.calls)
        if code is not None:
            span = code.removeprefix("budget_")
            raise TurnError(code, retryable=False, detail=_DETAIL.format(span=span))
        await call_next()
