"""The agent's way out: hand the talk to the team."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from agents.runtime.tools.decorator import ToolContext, desk_tool

_REASON_LENGTH = 300


class PersonArguments(BaseModel):
    """Why a person is needed."""

    model_config = ConfigDict(extra="ignore")

    reason: Annotated[str, Field(description="One sentence for the team: what is needed and why.")]


@desk_tool(
    description=(
        "Hand this conversation to a person of the team. Use it when the customer asks for one,"
        " when the knowledge has no answer, or when you must not decide. Then tell the customer."
    ),
    arguments=PersonArguments,
    repeatable=True,
)
def ask_for_person(context: ToolContext, arguments: PersonArguments) -> str:
    """Takes effect when the turn commits: a turn that fails calls nobody."""
    context.run.asks_for_person = arguments.reason.strip()[:_REASON_LENGTH] or "Asked for a person."
    return "The team will be told as soon as you have answered. Tell the customer in one sentence."
