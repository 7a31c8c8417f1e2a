"""A tenant's standing rules for its agent's tools."""

from collections.abc import Collection
from dataclasses import asdict, dataclass, fields
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from agents.models import ToolCall, ToolSetting
from tenants.models import Member, Tenant
from tenants.scoping import current_tenant_id
from tenants.services import audit

Asking = ToolSetting.Approval
# A sum that cannot be read is above every limit.
UNREADABLE = Decimal("999999999999.99")


@dataclass(frozen=True, slots=True)
class ToolRule:
    """What holds for one tool; the default leaves everything to the tool itself."""

    enabled: bool = True
    approval: str = Asking.DEFAULT
    threshold_argument: str = ""
    threshold: Decimal | None = None
    needs_verified: bool = False
    per_turn: int | None = None
    per_day: int | None = None


AS_THE_TOOL_SAYS = ToolRule()
_FIELDS = tuple(field.name for field in fields(ToolRule))


def tool_rules() -> dict[str, ToolRule]:
    """By the tool's name; tools without a rule are left out. One statement."""
    return {row.tool: _rule(row) for row in ToolSetting.objects.all()}


def rule_of(tool: str) -> ToolRule:
    return tool_rules().get(tool, AS_THE_TOOL_SAYS)


@transaction.atomic
def set_tool_rule(tool: str, rule: ToolRule, *, by: Member) -> None:
    """Holds from the next turn on; the audit keeps what it was and what it became."""
    # Two first changes at once would both insert: the tenant's row puts them in line.
    Tenant.objects.select_for_update(no_key=True).get(id=current_tenant_id())
    before, after = asdict(rule_of(tool)), asdict(rule)
    changed = {name: [before[name], after[name]] for name in _FIELDS if before[name] != after[name]}
    if not changed:
        return
    row, _ = ToolSetting.objects.update_or_create(tool=tool, defaults=after)
    detail = {"tool": tool, "changed": {name: _plain(pair) for name, pair in changed.items()}}
    audit.record("tool.rule_changed", by=by, target=row, detail=detail)


@transaction.atomic
def forget_rules(tools: Collection[str], *, by: Member) -> None:
    """For tools that are no more: another one of the same name must not inherit their freedom."""
    for row in ToolSetting.objects.filter(tool__in=tools):
        audit.record("tool.rule_removed", by=by, target=row, detail={"tool": row.tool})
        row.delete()


def number_of(value: Any) -> Decimal | None:
    """How much it is, whatever its sign; None when it cannot be read as a sum."""
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return abs(number) if number.is_finite() and abs(number) < UNREADABLE else None


def used_up_today(tool: str, *, limit: int, turn_id: UUID, mine: int) -> bool:
    """Whether the tenant's day has no call left; `mine` are this turn's, the present one included.

    Calls of one tool come one after the other from here to the end of the transaction, in which
    the caller writes the journal: so two turns cannot both take the last one.
    """
    tenant_id = current_tenant_id()
    with connection.cursor() as cursor:
        key = f"tool {tenant_id} {tool}"
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [key])
    zone = Tenant.objects.get(id=tenant_id).zone
    midnight = timezone.now().astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    calls = ToolCall.stored.filter(name=tool, created_at__gte=midnight)
    others = calls.exclude(turn=turn_id).exclude(state=ToolCall.State.FAILED).count()
    return others + mine > limit


def _rule(row: ToolSetting) -> ToolRule:
    return ToolRule(**{name: getattr(row, name) for name in _FIELDS})


def _plain(pair: list[Any]) -> list[Any]:
    return [f"{value:.2f}" if isinstance(value, Decimal) else value for value in pair]
