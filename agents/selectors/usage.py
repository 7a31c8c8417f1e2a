"""What models were used and what they cost. Every view sums the same rows, so all sums agree."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce, NullIf, TruncDate

from agents.models import ModelCall
from conversations.models import Conversation

LEVELS = ("day", "conversation", "model", "purpose")


@dataclass(frozen=True, slots=True)
class Days:
    """From the first to the last day, both included, as days are counted in `zone`."""

    first: date
    last: date
    zone: ZoneInfo

    def calls(self) -> QuerySet[ModelCall]:
        begin = datetime.combine(self.first, time(), tzinfo=self.zone)
        end = datetime.combine(self.last + timedelta(days=1), time(), tzinfo=self.zone)
        return ModelCall.objects.filter(created_at__gte=begin, created_at__lt=end)

    def each(self) -> list[date]:
        count = (self.last - self.first).days + 1
        return [self.first + timedelta(days=number) for number in range(count)]


@dataclass(frozen=True, slots=True)
class Used:
    """The sum of some model calls in one currency: money of two is never added up.

    `key` is a day, a conversation's id, a model or a purpose; None for the total, and for calls
    outside any conversation. `failed_…` is the part of calls that were refused or cancelled.
    """

    key: Any
    label: str
    currency: str
    calls: int
    failed_calls: int
    input_tokens: int
    output_tokens: int
    failed_tokens: int
    cost: Decimal

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


_FAILED = ~Q(outcome=ModelCall.Outcome.OK)
# Named apart from the columns that are summed: an alias must not hide one.
_SUMS = {
    "sum_calls": Count("pk"),
    "sum_failed_calls": Count("pk", filter=_FAILED),
    "sum_input_tokens": Sum("input_tokens"),
    "sum_output_tokens": Sum("output_tokens"),
    "sum_failed_tokens": Coalesce(Sum(F("input_tokens") + F("output_tokens"), filter=_FAILED), 0),
    "sum_cost": Sum("cost"),
}


def usage(days: Days, *, by: str, limit: int | None = None) -> list[Used]:
    """One row for each day, conversation, model or purpose and currency; one statement.

    Days come in order; else the dearest first, then those with the most tokens.
    """
    keyed: Any = _KEYED[by](days)
    rows = keyed.values("key", "label", "currency").annotate(**_SUMS)
    order = ["key"] if by == "day" else ["-sum_cost", "-sum_input_tokens", "key"]
    return [_used(row) for row in rows.order_by(*order, "label", "currency")[:limit]]


def totals(days: Days) -> list[Used]:
    """One row a currency; one statement."""
    return _totals(days.calls())


def totals_of(conversation_id: UUID) -> list[Used]:
    """What one conversation has used so far, one row a currency."""
    return _totals(ModelCall.objects.filter(conversation_id=conversation_id))


def _totals(calls: Any) -> list[Used]:
    rows = calls.values("currency").annotate(**_SUMS).order_by("-sum_cost", "currency")
    return [_used({"key": None, "label": "", **row}) for row in rows]


def _used(row: dict[str, Any]) -> Used:
    sums = {name.removeprefix("sum_"): row[name] for name in _SUMS}
    label = "" if row["label"] is None else str(row["label"])
    return Used(key=row["key"], label=label, currency=row["currency"], **sums)


def _by_day(days: Days) -> QuerySet[ModelCall]:
    day = TruncDate("created_at", tzinfo=days.zone)
    return days.calls().annotate(key=day, label=day)


def _by_conversation(days: Days) -> QuerySet[ModelCall]:
    """With the title, or else how the last message begins; nothing of one that was erased."""
    talk = Conversation.objects.filter(pk=OuterRef("conversation_id"))
    words = Coalesce(NullIf("title", Value("")), "last_message_preview")
    label = Subquery(talk.annotate(words=words).values("words")[:1])
    return days.calls().annotate(key=F("conversation_id"), label=label)


def _by_model(days: Days) -> QuerySet[ModelCall]:
    return days.calls().annotate(key=F("model"), label=F("api"))


def _by_purpose(days: Days) -> QuerySet[ModelCall]:
    """Specialists each under their name."""
    label = Coalesce(NullIf("specialist", Value("")), "purpose")
    return days.calls().annotate(key=F("purpose"), label=label)


_KEYED = {
    "day": _by_day,
    "conversation": _by_conversation,
    "model": _by_model,
    "purpose": _by_purpose,
}
