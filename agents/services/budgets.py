"""What the agent may still use: read before a run, weighed before every request to a model.

A request that has begun is paid for, so a limit is passed by less than one request: `holds` sees to
it that runs at the same time do not add theirs up.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from agents.models import Budget, ModelCall
from agents.services.usage import MeteredCall
from tenants.models import Actor, Member, Tenant
from tenants.scoping import current_tenant_id
from tenants.services import audit

SPANS = ("turn", "conversation", "day", "month")
LIMITS = tuple(f"{span}_{kind}" for span in SPANS for kind in ("tokens", "cost"))
MOST_TOKENS = 10**15
CODE = "budget_"


@dataclass(frozen=True, slots=True)
class Limit:
    """One span of a budget, and what it had used when it was read."""

    span: str
    tokens: int | None
    cost: Decimal | None
    used_tokens: int
    used_cost: Decimal
    # When the span began; None for those that no other run shares.
    since: datetime | None = None

    def is_reached(self, tokens: int = 0, cost: Decimal = Decimal(0)) -> bool:
        """Whether nothing is left, with this much more used than when it was read."""
        return self.is_used_up(self.used_tokens + tokens, self.used_cost + cost)

    def is_used_up(self, tokens: int, cost: Decimal) -> bool:
        """Whether this much in all leaves nothing."""
        return (self.tokens is not None and tokens >= self.tokens) or (
            self.cost is not None and cost >= self.cost
        )


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one run may use."""

    currency: str
    limits: tuple[Limit, ...]

    @property
    def shared(self) -> list[Limit]:
        """Those that runs at the same time use up together."""
        return [limit for limit in self.limits if limit.since is not None]

    def reached(self, calls: Sequence[MeteredCall] = ()) -> str | None:
        """The code of the first span with nothing left after these calls; None: go on."""
        tokens = sum(call.input_tokens + call.output_tokens for call in calls)
        money = (call.cost for call in calls if call.currency == self.currency)
        cost = sum(money, Decimal(0))
        for limit in self.limits:
            if limit.is_reached(tokens, cost):
                return CODE + limit.span
        return None


NO_LIMIT = Allowance("", ())


def allowance(*, turn_id: UUID, conversation_id: UUID) -> Allowance:
    """One statement without a budget, and one more for each limited span."""
    budget = Budget.objects.first()
    if budget is None:
        return NO_LIMIT
    # What members spend on comparing does not silence the agent towards this customer.
    of_talk = Q(conversation_id=conversation_id) & ~Q(purpose=ModelCall.Purpose.COMPARE)
    places = {"turn": Q(turn_id=turn_id), "conversation": of_talk}
    return _allowance(budget, places)


def tenant_limits() -> Allowance:
    """The day's and the month's limits, for administrators."""
    budget = Budget.objects.first()
    return NO_LIMIT if budget is None else _allowance(budget, {})


def current_budget() -> Budget:
    """The tenant's limits; an unsaved row without any when none were set."""
    return Budget.objects.first() or Budget()


@transaction.atomic
def set_budget(*, by: Member, **values: Any) -> Budget:
    """Stores the limits; a changed one may be noticed again."""
    Tenant.objects.select_for_update(no_key=True).get(pk=current_tenant_id())
    budget = current_budget()
    names = [name for name in ("currency", *LIMITS) if name in values]
    changed = [name for name in names if getattr(budget, name) != values[name]]
    if not changed:
        return budget
    fresh = {name: values[name] for name in changed} | {"day_noticed": None, "month_noticed": None}
    stored, _ = Budget.objects.update_or_create(defaults=fresh)
    audit.record("budget.changed", by=by, target=stored, detail={"fields": changed})
    return stored


def is_budget(code: str) -> bool:
    return code.startswith(CODE)


def note_reached(code: str, *, turn_id: UUID) -> None:
    """Tells administrators, of a day or a month once; in the transaction of the hand-over."""
    span = code.removeprefix(CODE)
    budget = Budget.objects.first()
    if budget is None:
        return
    if span in ("day", "month"):
        column, begun = f"{span}_noticed", _begin(span)
        # The one who changes the row tells; others who meet the limit now change nothing.
        untold = Budget.objects.filter(Q(**{column: None}) | ~Q(**{column: begun}))
        if not untold.update(**{column: begun}):
            return
    audit.record(
        "budget.reached",
        by=Actor.SYSTEM,
        target=budget,
        detail={"span": span, "turn": str(turn_id)},
    )


def _allowance(budget: Budget, places: dict[str, Q]) -> Allowance:
    since = {span: _midnight(_begin(span)) for span in ("day", "month")}
    places = places | {span: Q(created_at__gte=begun) for span, begun in since.items()}
    limits = [
        replace(_limit(budget, span, ModelCall.objects.filter(places[span])), since=since.get(span))
        for span in SPANS
        if span in places and _is_limited(budget, span)
    ]
    return Allowance(budget.currency, tuple(limits))


def _is_limited(budget: Budget, span: str) -> bool:
    values = (getattr(budget, f"{span}_tokens"), getattr(budget, f"{span}_cost"))
    return any(value is not None for value in values)


def _limit(budget: Budget, span: str, calls: QuerySet[ModelCall]) -> Limit:
    used = calls.aggregate(
        tokens=Coalesce(Sum(F("input_tokens") + F("output_tokens")), 0),
        money=Sum("cost", filter=Q(currency=budget.currency)),
    )
    return Limit(
        span=span,
        tokens=getattr(budget, f"{span}_tokens"),
        cost=getattr(budget, f"{span}_cost"),
        used_tokens=used["tokens"],
        used_cost=used["money"] or Decimal(0),
    )


def _begin(span: str) -> date:
    today = timezone.now().astimezone(_zone()).date()
    return today if span == "day" else today.replace(day=1)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=_zone())


def _zone() -> Any:
    return Tenant.objects.get(pk=current_tenant_id()).zone
