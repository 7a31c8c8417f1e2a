"""What runs use at this very moment: near the end of a budget their requests come one by one.

A model call is booked when its turn ends, so turns that run at the same time do not see each other
in the bookings. Each keeps a row instead: what it has used, and what its open request may take at
most. With them a budget of the day or the month is passed by less than one request.
"""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from uuid import UUID

from django.db import connection
from django.db.models import F, Q, Sum
from django.db.models.functions import Now

from agents.models import BudgetHold, ModelCall
from agents.services.budgets import Allowance, Limit
from tenants.scoping import current_tenant_id


@dataclass(frozen=True, slots=True)
class Holder:
    """One attempt at a turn, or one trial."""

    id: UUID
    fence: int
    # A worker that dies leaves its row; it counts so long.
    seconds: float


@dataclass(frozen=True, slots=True)
class Amount:
    """Tokens, and money in the budget's currency."""

    tokens: int = 0
    cost: Decimal = Decimal(0)

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(self.tokens + other.tokens, self.cost + other.cost)


NOTHING = Amount()


class Verdict(Enum):
    """Whether the next request may begin."""

    GO = "go"
    # What others have asked for may take the rest; soon it is known whether it does.
    WAIT = "wait"
    USED_UP = "used_up"


def ask(
    holder: Holder, allowance: Allowance, *, used: Amount, wanted: Amount
) -> tuple[Verdict, str]:
    """May a request begin that takes `wanted` at most, after `used`; with the span that says no.

    In a short scope of its own: askers of one tenant come one after the other to its end. Whoever
    goes or waits has a row from then on, until `release`.
    """
    with connection.cursor() as cursor:
        key = f"budget {current_tenant_id()}"
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [key])
    settled, in_flight = _others(holder, allowance.currency)
    verdict, span = _weigh(allowance, settled + used, in_flight)
    if verdict is not Verdict.USED_UP:
        _keep(holder, used, wanted if verdict is Verdict.GO else NOTHING)
    return verdict, span


def release(holder_id: UUID, *, fence: int) -> None:
    """What it used is booked, in this transaction."""
    BudgetHold.objects.filter(holder=holder_id, fence=fence).delete()


def _others(holder: Holder, currency: str) -> tuple[Amount, Amount]:
    """What the runs beside this one have used, and what their open requests may take."""
    BudgetHold.objects.filter(until__lte=Now()).delete()
    rows = BudgetHold.objects.exclude(holder=holder.id, fence=holder.fence)
    found = rows.aggregate(
        used_tokens=Sum("used_tokens", default=0),
        used_cost=Sum("used_cost", default=Decimal(0)),
        asked_tokens=Sum("asked_tokens", default=0),
        asked_cost=Sum("asked_cost", default=Decimal(0)),
    )
    settled = Amount(found["used_tokens"], found["used_cost"])
    return settled, Amount(found["asked_tokens"], found["asked_cost"])


def _weigh(allowance: Allowance, settled: Amount, in_flight: Amount) -> tuple[Verdict, str]:
    waits = ""
    for limit in allowance.shared:
        booked = _booked(limit, allowance.currency)
        if _is_used_up(limit, booked + settled):
            return Verdict.USED_UP, limit.span
        if _is_used_up(limit, booked + settled + in_flight):
            waits = limit.span
    return (Verdict.WAIT if waits else Verdict.GO), waits


def _is_used_up(limit: Limit, amount: Amount) -> bool:
    return limit.is_used_up(amount.tokens, amount.cost)


def _booked(limit: Limit, currency: str) -> Amount:
    """Anew: since the run began others have ended."""
    found = ModelCall.objects.filter(created_at__gte=limit.since).aggregate(
        tokens=Sum(F("input_tokens") + F("output_tokens"), default=0),
        cost=Sum("cost", filter=Q(currency=currency), default=Decimal(0)),
    )
    return Amount(found["tokens"], found["cost"])


def _keep(holder: Holder, used: Amount, asked: Amount) -> None:
    values = {
        "used_tokens": used.tokens,
        "used_cost": used.cost,
        "asked_tokens": asked.tokens,
        "asked_cost": asked.cost,
        "until": Now() + timedelta(seconds=holder.seconds),
    }
    BudgetHold.objects.update_or_create(holder=holder.id, fence=holder.fence, defaults=values)
