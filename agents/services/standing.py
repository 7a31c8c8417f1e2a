"""Yes to one call, and to all of its kind up to its sum: one act, one audited rule."""

from dataclasses import replace
from decimal import ROUND_CEILING, Decimal

from django.db import transaction

from agents.models import Approval
from agents.services.approvals import decide
from agents.services.tools import Asking, number_of, rule_of, set_tool_rule
from tenants.errors import Conflict, Forbidden
from tenants.models import Member
from tenants.permissions import Permission, may

_CENT = Decimal("0.01")


class NothingToStand(Conflict):
    """There is no sum up to which one could stop asking."""

    code = "nothing_to_stand"
    detail = "This call has no sum that can be read. Approve it, or set the tool's rule yourself."


def sum_of(call: Approval) -> Decimal | None:
    """What a rule "up to this sum" would name; None for a call without a sum that can be read."""
    value = number_of(call.arguments.get(call.measured)) if call.measured else None
    return None if value is None else value.quantize(_CENT, rounding=ROUND_CEILING)


@transaction.atomic
def approve_from_now_on(approval: Approval, *, by: Member, comment: str = "") -> Approval:
    """Approves this call, and asks no more for this tool up to its sum, from the next answer on.

    Needs the right to set the tool's rule; a rule that goes further already is not cut back. When
    the call cannot be approved, the rule does not change either.
    """
    if not may(by, Permission.AGENT_SETTINGS):
        raise Forbidden
    limit = sum_of(approval)
    if limit is None:
        raise NothingToStand
    # Before the decision: whoever holds the tenant's row may wait for a conversation, and whoever
    # holds a conversation must not wait for the tenant's row.
    _let_through(approval, limit, by)
    return decide(approval, by=by, approved=True, comment=comment)


def _let_through(call: Approval, limit: Decimal, by: Member) -> None:
    rule = rule_of(call.tool)
    same = rule.approval == Asking.ABOVE and rule.threshold_argument == call.measured
    before = rule.threshold if same and rule.threshold is not None else limit
    wider = replace(
        rule,
        approval=Asking.ABOVE,
        threshold_argument=call.measured,
        threshold=max(before, limit),
    )
    set_tool_rule(call.tool, wider, by=by)
