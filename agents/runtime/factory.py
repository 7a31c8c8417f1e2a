"""The agent of one run, built from its profile. Never shared: a run changes its agent."""

from typing import Any

from agent_framework import Agent, BaseChatClient

from agents.runtime.context import FACTS, instructions
from agents.runtime.history import HISTORY
from agents.runtime.metering import Meter
from agents.runtime.middleware import Journal
from agents.runtime.options import default_options
from agents.runtime.policy import Policy, Thresholds, offered_tools
from agents.runtime.run import Run
from agents.runtime.tools.registry import load_tools

load_tools()


def build_agent(run: Run, client: BaseChatClient[Any]) -> Agent:
    """History first: what it loads comes first, and what it stores is stored last.

    The agent has no name towards the model: names of people's choice are no valid author names in
    two of the protocols.
    """
    facts = run.facts
    tools = offered_tools(facts)
    return Agent(
        client,
        instructions(facts),
        tools=tools or None,
        default_options=default_options(facts.client, has_tools=bool(tools)),
        context_providers=[HISTORY, FACTS],
        middleware=[
            Thresholds(facts, tools),
            Meter(facts.client, run.calls),
            Policy(run),
            Journal(run),
        ],
    )
