"""A batch that needs a member: what is shown of it, and where it stands when it is resumed."""

import json
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any

from agents.runtime.mapping import scrub
from agents.runtime.tools.decorator import tool_named
from agents.services.approvals import RequestedCall
from agents.services.tools import AS_THE_TOOL_SAYS, UNREADABLE, Asking, ToolRule, number_of
from conversations.transcript import NewRow, Row

_CONTROL = frozenset({"function_approval_request", "function_approval_response"})
_WHY_LENGTH = 2_000


def requested_calls(
    state: Mapping[str, Any], rows: Sequence[NewRow], rules: Mapping[str, ToolRule]
) -> list[RequestedCall]:
    """The calls of the framework's pending batch, with what the agent said beside them."""
    why = _said(rows)
    requests = state.get("pending_approval_requests") or []
    return [_requested(request, why, rules) for request in requests]


def _requested(
    request: Mapping[str, Any], why: str, rules: Mapping[str, ToolRule]
) -> RequestedCall:
    call = request["function_call"]
    name, arguments = str(call.get("name") or ""), arguments_of(call.get("arguments"))
    tool, rule = tool_named(name), rules.get(name, AS_THE_TOOL_SAYS)
    measured = rule.threshold_argument if rule.approval == Asking.ABOVE else ""
    money = tool.money if tool else ""
    return RequestedCall(
        request["id"], name, arguments, why, _amount(money, arguments), measured or money
    )


def asked_tools(state: Mapping[str, Any] | None) -> list[str]:
    """The names of the tools whose calls wait in a framework's state."""
    requests = (state or {}).get("pending_approval_requests") or []
    return [str(request["function_call"].get("name") or "") for request in requests]


def arguments_of(given: Any) -> dict[str, Any]:
    """Arguments as they will be read when the call is carried out."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return {"arguments": scrub(given)}
    found: dict[str, Any] = scrub(given) if isinstance(given, Mapping) else {"arguments": given}
    return found


def _amount(money: str, arguments: Mapping[str, Any]) -> Decimal | None:
    """The money that a call moves; None for a tool that moves none."""
    if not money:
        return None
    value = number_of(arguments.get(money))
    return UNREADABLE if value is None else value


def _said(rows: Sequence[NewRow]) -> str:
    parts = rows[-1].parts or [] if rows else []
    texts = [str(part.get("text") or "") for part in parts if part.get("type") == "text"]
    return "\n\n".join(text for text in texts if text.strip())[:_WHY_LENGTH]


def split_batch(rows: Sequence[Row], pending: Collection[str]) -> tuple[list[Row], list[Row]]:
    """The talk without the batch, and the batch: its request, then its decision.

    While it waits, the batch is not shown: protocols take no call without its result. When it is
    resumed it stands last, so that results follow calls however far the talk went on meanwhile.
    """
    if not pending:
        return list(rows), []
    batch = [row for row in rows if _belongs(row, pending)]
    taken = {row.seq for row in batch}
    return [row for row in rows if row.seq not in taken], batch


def _belongs(row: Row, pending: Collection[str]) -> bool:
    parts = [part for part in row.parts or [] if part.get("type") in _CONTROL]
    return any(part.get("id") in pending for part in parts)
