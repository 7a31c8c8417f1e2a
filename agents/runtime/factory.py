"""The agent of one run, built from its profile. Never shared: a run changes its agent."""

from typing import Any

from agent_framework import Agent, BaseChatClient, FunctionTool

from agents.runtime.context import BACKGROUND, FACTS, instructions
from agents.runtime.history import HISTORY
from agents.runtime.metering import Meter
from agents.runtime.middleware import Journal
from agents.runtime.options import default_options
from agents.runtime.policy import Policy, Thresholds, is_harmless, offered_tools
from agents.runtime.purse import Purse
from agents.runtime.run import Run
from agents.runtime.stray_ids import StrayIds
from agents.runtime.tools.ask_for_person import ask_for_person
from agents.runtime.tools.registry import load_tools
from agents.runtime.witness import Witness

load_tools()


def build_agent(run: Run, client: BaseChatClient[Any]) -> Agent:
    """The talk comes after what is told beside it, so that the customer's lines stand last.

    Only the history stores anything.

    The agent has no name towards the model: names of people's choice are no valid author names in
    two of the protocols.
    """
    facts = run.facts
    tools = _tools(run)
    return Agent(
        client,
        instructions(facts),
        id="desk",  # names its spans; the model is not told
        tools=tools or None,
        default_options=_options(run, has_tools=bool(tools)),
        context_providers=[*BACKGROUND, HISTORY, FACTS],
        middleware=[
            Thresholds(facts, tools),
            Purse(run),
            Meter(facts.client, run.calls, facts.secrets),
            Policy(run),
            Journal(run),
            *([] if facts.keeps_history else [StrayIds(run)]),
            Witness(run, instructions(facts)),
        ],
    )


def _options(run: Run, *, has_tools: bool) -> Any:
    """As every call of this endpoint; the service keeps the answer only where the tenant wants."""
    options = default_options(run.facts.client, has_tools=has_tools)
    return {**options, "store": True} if run.facts.keeps_history else options


def _tools(run: Run) -> list[FunctionTool]:
    """All tools of the profile; for a draft only those that change nothing.

    Nobody has asked for what a draft would do: the member who sends it may not want it done.
    """
    tools = offered_tools(run.facts)
    if not run.claimed.drafts:
        return tools
    person, facts = ask_for_person.name, run.facts
    return [tool for tool in tools if tool.name != person and is_harmless(facts, tool.name)]
