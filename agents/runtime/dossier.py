"""Facts of a talk for the team, each with the message that it stands in."""

import re
from collections.abc import Iterator

from pydantic import BaseModel, Field

from agents.models import AgentProfile, ModelCall, OneShot
from agents.runtime.oneshot import Question
from agents.runtime.reading import of_customer, read_of, spec_of, told
from agents.services.insights import is_wanted
from conversations.models import Conversation, Message
from conversations.selectors.lines import messages_of
from conversations.services import insights

AT_ONCE = 40
_CONTEXT = 4
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_ORDER = re.compile(
    r"\b(?:order|bestellung|pedido|commande|encomenda)\b\D{0,12}\b(\d{3,12})\b|طلب\D{0,12}(\d{3,12})",
    re.IGNORECASE,
)


class Fact(BaseModel):
    """Something that the customer said."""

    label: str = Field(description="What it is, in one to three words, such as: order number.")
    value: str = Field(description="The fact itself, in the customer's words, short.")
    line: int = Field(description="The number of the customer's line that says it.")


class Facts(BaseModel):
    """All that is new."""

    facts: list[Fact]


def facts(conversation: Conversation, profile: AgentProfile) -> Question | None:
    """Facts of the lines that were not read yet, each with the line that says it."""
    if not is_wanted(OneShot.FACTS, conversation):
        return None
    after = conversation.insight_seqs.get(insights.FACTS, 0)
    rows = messages_of(conversation.id, after_seq=after, limit=AT_ONCE)
    if not rows:
        return None
    before = messages_of(conversation.id, before_seq=rows[0].seq, limit=_CONTEXT) if after else []
    read, lines = read_of(conversation, rows), {row.seq for row in of_customer(rows)}

    def store(answer: Facts) -> bool:
        found = [fact for fact in answer.facts if fact.line in lines]
        return insights.store_facts(
            read, [{"label": f.label, "value": f.value, "seq": f.line} for f in found]
        )

    return Question(
        spec=spec_of(conversation, profile),
        purpose=ModelCall.Purpose.FACTS,
        instructions=(
            "Note what the customer said about themselves and their matter that a colleague must"
            " not ask again: numbers, products, dates, wishes, agreements. Only from lines"
            f" {rows[0].seq} to {rows[-1].seq} of the customer, and only what stands there. Leave"
            " out what is known already; when its value has changed, note it under the same label."
        ),
        text=f"Known already: {_known(conversation)}\n\n{told([*before, *rows])}",
        shape=Facts,
        store=store,
        offline=lambda: Facts(facts=list(_plain_facts(of_customer(rows)))),
        more=len(rows) == AT_ONCE,
    )


def _known(conversation: Conversation) -> str:
    found = conversation.dossier.get("facts", [])
    return "; ".join(f"{fact['label']}: {fact['value']}" for fact in found) or "nothing"


def _plain_facts(rows: list[Message]) -> Iterator[Fact]:
    """What looks the same whatever the words around it: addresses and numbers of orders."""
    for row in rows:
        for address in _EMAIL.findall(row.text):
            yield Fact(label="E-mail", value=address, line=row.seq)
        for number in filter(None, (one or other for one, other in _ORDER.findall(row.text))):
            yield Fact(label="Order", value=number, line=row.seq)
