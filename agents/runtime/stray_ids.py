"""Ids of conversations that a provider keeps, where the desk's own rows are the memory.

Two memories of one talk would be sent together, and the provider's can be neither edited nor
erased. So an id that comes although none was asked for never reaches the loop: the framework would
leave out what the rows say and go on from the id.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog
from agent_framework import (
    ChatContext,
    ChatMiddleware,
    ChatResponse,
    ChatResponseUpdate,
    ResponseStream,
)

from agents.models import StrayId
from agents.runtime.run import Run
from agents.services.contract import TurnError

log = structlog.get_logger(__name__)

KEEPS_STATE = (
    "The provider keeps a conversation of its own. Remove `store` from the endpoint's options, or"
    " say on the model's page that such ids are to be ignored."
)
_Answer = TypeVar("_Answer", ChatResponse, ChatResponseUpdate)


class StrayIds(ChatMiddleware):
    """Stops the run, or takes the id away, as the endpoint says; before a tool can run."""

    def __init__(self, run: Run) -> None:
        self._run, self._told = run, False

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        await call_next()
        if context.stream and isinstance(context.result, ResponseStream):
            # The framework's own hooks: another layer around the stream would cost far more.
            context.result.with_update_transform(self._without)
            context.result.with_result_transform(self._without)
        elif isinstance(context.result, ChatResponse):
            self._without(context.result)

    def _without(self, answer: _Answer) -> _Answer:
        if answer.conversation_id is None:
            return answer
        spec = self._run.facts.client
        if spec.stray_id == StrayId.RAISE:
            raise TurnError("provider_keeps_state", retryable=False, detail=KEEPS_STATE)
        if spec.stray_id == StrayId.WARN and not self._told:
            log.warning("stray_service_id", turn=str(self._run.claimed.turn_id), model=spec.model)
            self._told = True
        answer.conversation_id = None
        return answer
