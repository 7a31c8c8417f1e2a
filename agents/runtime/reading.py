"""The lines of a talk as one-shot agents read them: numbered, on one line each, cut to size."""

from collections.abc import Sequence

from agents.models import AgentProfile
from agents.runtime.clients import ClientSpec
from agents.runtime.facts import client_spec
from conversations.models import Conversation, Message, MessageRole
from conversations.services.insights import Read

_LONGEST_LINE = 600
_WHO = {
    MessageRole.CUSTOMER.value: "customer",
    MessageRole.AGENT.value: "agent",
    MessageRole.MEMBER.value: "teammate",
}


def told(messages: Sequence[Message]) -> str:
    """No line of anybody can look like two: what a customer writes stays the customer's."""
    return "\n".join(f"#{row.seq} {_WHO[row.role]}: {short(row.text)}" for row in messages)


def short(text: str, limit: int = _LONGEST_LINE) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def read_of(conversation: Conversation, messages: Sequence[Message]) -> Read:
    return Read(conversation.id, conversation.edition, messages[-1].seq)


def of_customer(messages: Sequence[Message]) -> list[Message]:
    return [row for row in messages if row.role == MessageRole.CUSTOMER]


def spec_of(conversation: Conversation, profile: AgentProfile) -> ClientSpec:
    """The version's own model, for one step."""
    return client_spec(profile.endpoint, locale=conversation.locale, max_steps=1)
