"""What ends rows by itself: the tenant's policies and the platform's maximum, as one set of rules.

A day is a day of the tenant's calendar: thirty days after noon is noon, also when the clock was
changed in between. Of several rules the shortest decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings

from conversations.models import RetentionPolicy
from conversations.retained import Retained
from conversations.selectors.holds import in_force
from tenants.models import Tenant
from tenants.scoping import current_tenant_id

PLATFORM = "Maximum of the platform"


@dataclass(frozen=True, slots=True)
class Rule:
    """What ends rows of one kind; `id` is None for the platform's maximum."""

    days: int
    id: UUID | None = None
    status: str = ""
    channel: str = ""
    label: UUID | None = None


def rule_of(policy: RetentionPolicy) -> Rule:
    """The policy as it is carried out: never longer than the platform allows."""
    most = settings.RETENTION_MAXIMUM_DAYS.get(policy.kind, policy.days)
    return Rule(
        days=min(policy.days, most),
        id=policy.id,
        status=policy.status,
        channel=policy.channel,
        label=policy.label_id,
    )


@dataclass(frozen=True, slots=True)
class Law:
    """All that ends rows of the open scope's tenant now."""

    zone: str
    holds: bool
    rules: dict[str, list[Rule]]

    def of(self, kind: str) -> list[Rule]:
        return self.rules.get(kind, [])

    def parameters(self, found: Sequence[Rule]) -> dict[str, Any]:
        """Rules as arrays, and what every statement of retention wants."""
        return {
            "tenant": current_tenant_id(),
            "zone": self.zone,
            "holds": self.holds,
            "ids": [rule.id for rule in found],
            "days": [rule.days for rule in found],
            "statuses": [rule.status for rule in found],
            "channels": [rule.channel for rule in found],
            "labels": [rule.label for rule in found],
        }


def law() -> Law:
    """Three statements."""
    found: dict[str, list[Rule]] = {
        kind: [Rule(days=most)] for kind, most in settings.RETENTION_MAXIMUM_DAYS.items()
    }
    active = RetentionPolicy.objects.filter(state=RetentionPolicy.State.ACTIVE)
    for policy in active.order_by("created_at"):
        found.setdefault(policy.kind, []).append(rule_of(policy))
    zone = Tenant.objects.get(pk=current_tenant_id()).zone
    return Law(zone.key, in_force().exists(), found)


def is_lawless() -> bool:
    """Whether nothing ends by itself; one statement, for those who act on a single talk."""
    active = RetentionPolicy.objects.filter(state=RetentionPolicy.State.ACTIVE)
    return not settings.RETENTION_MAXIMUM_DAYS and not active.exists()


# Shared with the preview.
END = "((({since}) AT TIME ZONE %(zone)s) + p.days * interval '1 day') AT TIME ZONE %(zone)s"
RULES = """unnest(%(ids)s::uuid[], %(days)s::int[], %(statuses)s::text[], %(channels)s::text[],
  %(labels)s::uuid[]) AS p(id, days, status, channel, label)"""
MATCHES = """(p.status = '' OR p.status = c.status) AND (p.channel = '' OR p.channel = c.channel)
  AND (p.label IS NULL OR EXISTS (SELECT FROM conversations_conversationlabel l
    WHERE l.tenant_id = c.tenant_id AND l.conversation_id = c.id AND l.label_id = p.label))"""


def end_of(table: Retained) -> str:
    """When a row of the table ends by the rule `p`."""
    return f"GREATEST({END.format(since=table.since)}, {table.floor})"


def matches(table: Retained) -> str:
    """Whether the rule `p` means the row; only what belongs to a conversation has conditions."""
    return f"{MATCHES if table.join else 'true'} AND {table.ready}"
