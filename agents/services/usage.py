"""Booking what models cost: one row a model call, sums on the turn and on the conversation."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import F

from agents.models import ModelCall, Turn
from agents.services import metrics
from conversations.services.usage import add_usage
from conversations.transcript import Used
from tenants.scoping import new_id

_MILLION = Decimal(1_000_000)


@dataclass(slots=True)
class MeteredCall:
    """One request to a model, measured where it was made; prices are per million tokens."""

    purpose: str
    api: str
    model: str
    outcome: str
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    duration_ms: int = 0
    error_code: str = ""
    input_price: Decimal = Decimal(0)
    output_price: Decimal = Decimal(0)
    currency: str = "USD"
    # The provider did not say: about four characters a token.
    estimated: bool = False
    # Whose call it was, of those that the agent asked.
    specialist: str = ""

    @property
    def cost(self) -> Decimal:
        """Money, to the millionth of the currency's unit."""
        return price_of(self.input_tokens, self.output_tokens, self.input_price, self.output_price)


def price_of(given: int, made: int, input_price: Decimal, output_price: Decimal) -> Decimal:
    """Money for so many tokens, to the millionth of the currency's unit."""
    total = given * input_price + made * output_price
    return (total / _MILLION).quantize(Decimal("0.000001"))


def book_calls(
    calls: Sequence[MeteredCall],
    *,
    conversation_id: UUID | None,
    turn_id: UUID | None = None,
    attempt: int = 1,
) -> None:
    """Store the calls of one attempt and add them up; for failed and cancelled turns as well."""
    if not calls:
        return
    ModelCall.objects.bulk_create(
        _row(call, conversation_id=conversation_id, turn_id=turn_id, attempt=attempt)
        for call in calls
    )
    metrics.called(calls)
    used = used_by(calls)
    if turn_id is not None:
        Turn.objects.filter(pk=turn_id).update(
            input_tokens=F("input_tokens") + used.input_tokens,
            output_tokens=F("output_tokens") + used.output_tokens,
            cost=F("cost") + used.cost,
        )
    if conversation_id is not None:
        add_usage(conversation_id, **used._asdict())


# The columns of a model call's row that a metered call names itself.
COLUMNS = {
    "purpose": "text",
    "specialist": "text",
    "api": "text",
    "model": "text",
    "input_tokens": "bigint",
    "output_tokens": "bigint",
    "cached_tokens": "bigint",
    "reasoning_tokens": "bigint",
    "cost": "numeric",
    "currency": "text",
    "duration_ms": "int",
    "outcome": "text",
    "error_code": "text",
    "estimated": "boolean",
}


def columns_of(calls: Sequence[MeteredCall]) -> dict[str, list[Any]]:
    """The calls as arrays for one statement, with an id for each row."""
    columns = {name: [getattr(call, name) for call in calls] for name in COLUMNS}
    return {"ids": [new_id() for _ in calls], **columns}


def used_by(calls: Sequence[MeteredCall]) -> Used:
    """The sums of these calls."""
    return Used(
        sum(call.input_tokens for call in calls),
        sum(call.output_tokens for call in calls),
        sum((call.cost for call in calls), Decimal(0)),
    )


def _row(
    call: MeteredCall, *, conversation_id: UUID | None, turn_id: UUID | None, attempt: int
) -> ModelCall:
    values = {name: getattr(call, name) for name in COLUMNS}
    return ModelCall(conversation_id=conversation_id, turn_id=turn_id, attempt=attempt, **values)
