"""Booking what models cost: one row a model call, sums on the turn and on the conversation."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db.models import F

from agents.models import ModelCall, Turn
from conversations.services.usage import add_usage

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

    @property
    def cost(self) -> Decimal:
        """Money, to the millionth of the currency's unit."""
        total = self.input_tokens * self.input_price + self.output_tokens * self.output_price
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
    input_tokens = sum(call.input_tokens for call in calls)
    output_tokens = sum(call.output_tokens for call in calls)
    cost = sum((call.cost for call in calls), Decimal(0))
    if turn_id is not None:
        Turn.objects.filter(pk=turn_id).update(
            input_tokens=F("input_tokens") + input_tokens,
            output_tokens=F("output_tokens") + output_tokens,
            cost=F("cost") + cost,
        )
    if conversation_id is not None:
        add_usage(
            conversation_id, input_tokens=input_tokens, output_tokens=output_tokens, cost=cost
        )


def _row(
    call: MeteredCall, *, conversation_id: UUID | None, turn_id: UUID | None, attempt: int
) -> ModelCall:
    return ModelCall(
        conversation_id=conversation_id,
        turn_id=turn_id,
        attempt=attempt,
        purpose=call.purpose,
        api=call.api,
        model=call.model,
        input_tokens=call.input_tokens,
        output_tokens=call.output_tokens,
        cached_tokens=call.cached_tokens,
        reasoning_tokens=call.reasoning_tokens,
        cost=call.cost,
        currency=call.currency,
        duration_ms=call.duration_ms,
        outcome=call.outcome,
        error_code=call.error_code,
    )
