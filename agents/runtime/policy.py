"""The tenant's rules around tools: what asks for a member, and what never runs."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from copy import copy
from typing import Any

from agent_framework import (
    ChatContext,
    ChatMiddleware,
    ChatResponse,
    FunctionInvocationContext,
    FunctionMiddleware,
    FunctionTool,
    ResponseStream,
)

from agents.runtime.asking import arguments_of, asked_tools
from agents.runtime.clients import MAX_TOOL_CALLS
from agents.runtime.run import Facts, Run
from agents.runtime.tools.decorator import DeskTool, tool_named
from agents.services.tools import AS_THE_TOOL_SAYS, Asking, ToolRule, number_of

_NOT_VERIFIED = (
    "Not done: this needs a customer who has proven who they are. Ask the customer to sign in on"
    " the website and to write again from there, or offer a person."
)
_TOO_MANY = "Not done: too many tool calls for one answer. Answer now with what you have."
_UNKNOWN_TOOL = "Not done: there is no such tool."
_SWITCHED_OFF = "Not done: the company has switched this off. Offer a person instead."
_PER_TURN = "Not done: this may be used {limit} times for one answer. Answer with what you have."


def rule_for(facts: Facts, name: str) -> ToolRule:
    return facts.rules.get(name, AS_THE_TOOL_SAYS)


def tool_of(facts: Facts, name: str) -> DeskTool | None:
    """A tool of the installation, else one that the tenant made by configuration."""
    own: DeskTool | None = facts.own_tools.get(name)
    return tool_named(name) or own


def needs_verified(facts: Facts, name: str) -> bool:
    """Whether only customers who have proven who they are may have this done."""
    tool = tool_of(facts, name)
    return rule_for(facts, name).needs_verified or (tool is not None and tool.needs_verified)


def must_ask(facts: Facts, name: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a call with these arguments waits for a member."""
    tool, rule = tool_of(facts, name), rule_for(facts, name)
    if rule.approval == Asking.ABOVE:
        return _is_above(rule, arguments)
    return tool is not None and _offered(tool, rule).approval_mode == "always_require"


def may_ask(tool: DeskTool, rule: ToolRule) -> bool:
    """Whether some call of it waits for a member."""
    asks = _offered(tool, rule).approval_mode == "always_require"
    return asks or rule.approval == Asking.ABOVE


def is_harmless(facts: Facts, name: str) -> bool:
    """Whether every call of it may be made though nobody has asked for what it does."""
    tool = tool_of(facts, name)
    return tool is not None and tool.repeatable and not may_ask(tool, rule_for(facts, name))


def offered_tools(facts: Facts) -> list[FunctionTool]:
    """This run's own tools, each asking as the tenant wants it.

    What is switched off is not offered, unless a call of it was asked for before and is resumed:
    then the policy answers it in words.
    """
    switched_on = [name for name in facts.tools if rule_for(facts, name).enabled]
    names = dict.fromkeys([*switched_on, *asked_tools(facts.session_state)])
    found = [(tool_of(facts, name), rule_for(facts, name)) for name in names]
    return [_offered(tool, rule) for tool, rule in found if tool is not None]


def _offered(registered: DeskTool, rule: ToolRule) -> FunctionTool:
    tool = copy(registered.function)
    if rule.approval == Asking.ALWAYS:
        tool.approval_mode = "always_require"
    elif rule.approval == Asking.NEVER:
        tool.approval_mode = "never_require"
    return tool


class Thresholds(ChatMiddleware):
    """Decides for each answer of the model which tools must ask: the loop looks after it is whole.

    When one call of a batch is above, all calls of that tool in it ask: they were meant together.
    """

    def __init__(self, facts: Facts, tools: Iterable[FunctionTool]) -> None:
        self._tools = {
            tool.name: (tool, rule_for(facts, tool.name))
            for tool in tools
            if rule_for(facts, tool.name).approval == Asking.ABOVE
        }

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        await call_next()
        if context.stream and isinstance(context.result, ResponseStream):
            inner = context.result

            async def whole(_: object) -> ChatResponse:
                return self._weighed(await inner.get_final_response())

            context.result = ResponseStream(inner, finalizer=whole)
        elif isinstance(context.result, ChatResponse):
            self._weighed(context.result)

    def _weighed(self, response: ChatResponse) -> ChatResponse:
        for tool, rule in self._tools.values():
            above = any(
                _is_above(rule, content.arguments)
                for message in response.messages
                for content in message.contents
                if content.type == "function_call" and content.name == tool.name
            )
            tool.approval_mode = "always_require" if above else "never_require"
        return response


def _is_above(rule: ToolRule, arguments: object) -> bool:
    """Whether these arguments pass the threshold of a rule that has one."""
    if rule.approval != Asking.ABOVE:
        return False
    value = number_of(arguments_of(arguments).get(rule.threshold_argument))
    return value is None or rule.threshold is None or value > rule.threshold


class Policy(FunctionMiddleware):
    """Answers in words what may not run, so that the model can tell the customer."""

    def __init__(self, run: Run) -> None:
        self._run = run

    async def process(
        self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]
    ) -> None:
        name = context.function.name
        self._run.asked[name] += 1
        # The journal counts the day: it alone knows what other turns did.
        context.metadata["calls_of_this_turn"] = self._run.asked[name]
        refusal = self._refusal(name)
        if refusal:
            context.result = refusal
        else:
            await call_next()

    def _refusal(self, name: str) -> str:
        facts = self._run.facts
        tool, rule = tool_of(facts, name), rule_for(facts, name)
        reasons = {
            _TOO_MANY: self._run.asked.total() > MAX_TOOL_CALLS,
            _UNKNOWN_TOOL: tool is None,
            _SWITCHED_OFF: not rule.enabled,
            _NOT_VERIFIED: needs_verified(facts, name) and not facts.customer_verified,
            _PER_TURN.format(limit=rule.per_turn): (
                rule.per_turn is not None and self._run.asked[name] > rule.per_turn
            ),
        }
        return next((words for words, holds in reasons.items() if holds), "")
