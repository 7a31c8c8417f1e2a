"""Whose data an export holds, and how others are shown in it."""

from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q, QuerySet

from conversations.models import Conversation, Customer


@dataclass
class Masks:
    """Team members by number, in the order in which they appear: who they are is their own."""

    agent_name: str
    teammate: str = "Team member"
    _numbers: dict[Any, int] = field(default_factory=dict)

    def member(self, who: Any) -> str:
        return f"{self.teammate} {self._numbers.setdefault(who, len(self._numbers) + 1)}"


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose data it is, and how others are shown."""

    customer: Customer
    masks: Masks
    notes: bool = False

    @property
    def talks(self) -> QuerySet[Conversation]:
        """Those that have neither expired nor are being erased: what is hidden is in no copy."""
        return Conversation.objects.filter(customer=self.customer)

    @property
    def everyone(self) -> Q:
        """The customer, and those who were merged into this one."""
        return Q(pk=self.customer.pk) | Q(merged_into=self.customer.pk)
