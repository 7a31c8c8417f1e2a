"""Specialists, in the agent's hands like every other tool."""

from collections.abc import Sequence
from typing import Annotated, Any

from agent_framework import FunctionInvocationContext, FunctionTool
from pydantic import BaseModel, ConfigDict, Field

from agents.models import Specialist
from agents.runtime.tools.decorator import DeskTool, fitted
from tenants.errors import DeskError


class SpecialistArguments(BaseModel):
    """What the agent asks."""

    model_config = ConfigDict(extra="ignore")

    task: Annotated[
        str,
        Field(
            description="What you want to know or have done, with all that is needed for it: the"
            " specialist sees nothing of this conversation."
        ),
    ]


def specialist_tools(names: Sequence[str]) -> dict[str, DeskTool]:
    """Those of the tenant's specialists that a version names and that are switched on."""
    rows = Specialist.objects.filter(name__in=list(names), enabled=True, retired_at__isnull=True)
    return {row.name: specialist_tool(row) for row in rows}


def specialist_tool(row: Specialist) -> DeskTool:
    """Asked again when a turn is retried: what its own tools did stands in the turn's journal."""
    specialist_id = row.id

    async def invoke(context: FunctionInvocationContext, **values: Any) -> str:
        # A specialist has tools of its own, so the two modules need each other.
        from agents.runtime.specialists import consult  # noqa: PLC0415 - see above

        task = SpecialistArguments.model_validate(values).task
        try:
            return fitted(await consult(context.kwargs["run"], specialist_id, task))
        except DeskError as refusal:
            context.metadata["failed"] = True
            return fitted(refusal.detail)

    function = FunctionTool(
        name=row.name,
        description=row.description,
        func=invoke,
        input_model=SpecialistArguments,
        approval_mode="never_require",
    )
    return DeskTool(
        function, needs_verified=False, money="", repeatable=True, specialist=specialist_id
    )
