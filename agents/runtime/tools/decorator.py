"""`@desk_tool`: the only way in which a function becomes something that the agent can do."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar
from uuid import UUID

import structlog
from agent_framework import FunctionInvocationContext, FunctionTool
from pydantic import BaseModel

from agents.runtime.loop import step_out
from agents.runtime.run import Run
from tenants.errors import DeskError
from tenants.scoping import tenant_scope
from tenants.text import scrub_text

log = structlog.get_logger(__name__)

RESULT_BYTES = 32 * 1024
FAILED = (
    "The tool failed and its outcome is unknown. Say that this did not work just now and offer a"
    " person."
)
_CUT = "\n[cut: the result was longer]"
_Arguments = TypeVar("_Arguments", bound=BaseModel)


@dataclass(frozen=True)
class ToolContext:
    """Whose turn a tool works for.

    Bound by the server: the model names no tenant, no customer and no conversation, so no text that
    it reads can make it reach into another one.
    """

    run: Run
    # The same for every retry of this step, for the other side to recognise.
    idempotency_key: str

    @property
    def tenant_id(self) -> UUID:
        return self.run.claimed.tenant_id

    @property
    def conversation_id(self) -> UUID:
        return self.run.claimed.conversation_id

    @property
    def customer_id(self) -> UUID:
        return self.run.facts.customer_id


@dataclass(frozen=True)
class DeskTool:
    """A registered tool and the rules for calling it."""

    function: FunctionTool
    needs_verified: bool
    # The argument that names the money a call moves; empty when it moves none.
    money: str
    # May simply run again when a turn is retried; everything else is done once.
    repeatable: bool
    # The version of the specialist that is asked by it.
    specialist: UUID | None = None
    # What it proves itself with; never printed.
    secrets: tuple[str, ...] = field(default=(), repr=False)


_TOOLS: dict[str, DeskTool] = {}


def desk_tool(
    *,
    description: str,
    arguments: type[_Arguments],
    approval: Literal["always_require", "never_require"] = "never_require",
    needs_verified: bool = False,
    money: str = "",
    repeatable: bool = False,
) -> Callable[[Callable[[ToolContext, _Arguments], str]], FunctionTool]:
    """Registers a synchronous function under its own name.

    It runs in a scope of its tenant, in one transaction, on the task's own connection. What it
    raises becomes a sentence for the model; what it returns is cut and made storable.
    """

    def register(function: Callable[[ToolContext, _Arguments], str]) -> FunctionTool:
        name = function.__name__

        def call(context: ToolContext, values: dict[str, Any]) -> str:
            with tenant_scope(context.tenant_id):
                return function(context, arguments.model_validate(values))

        async def invoke(context: FunctionInvocationContext, **values: Any) -> str:
            return await _guarded(name, call, context, values)

        made = FunctionTool(
            name=name,
            description=description,
            func=invoke,
            input_model=arguments,
            approval_mode=approval,
        )
        _TOOLS[name] = DeskTool(made, needs_verified, money, repeatable)
        return made

    return register


def registered_tools() -> dict[str, DeskTool]:
    return dict(_TOOLS)


def tool_named(name: str) -> DeskTool | None:
    return _TOOLS.get(name)


async def _guarded(
    name: str,
    call: Callable[[ToolContext, dict[str, Any]], str],
    context: FunctionInvocationContext,
    values: dict[str, Any],
) -> str:
    run: Run = context.kwargs["run"]
    bound = ToolContext(run, context.metadata.get("idempotency_key", ""))
    try:
        return fitted(step_out(call, bound, values))
    except DeskError as refusal:
        context.metadata["failed"] = True
        return fitted(refusal.detail)
    except Exception:
        context.metadata["failed"] = True
        log.exception("tool_failed", tool=name, turn=str(run.claimed.turn_id))
        return FAILED


def fitted(result: str) -> str:
    """The result as it may be stored and sent to a model."""
    text = scrub_text(result)
    encoded = text.encode()
    if len(encoded) <= RESULT_BYTES:
        return text
    return encoded[: RESULT_BYTES - len(_CUT)].decode(errors="ignore") + _CUT
