"""A batch that needs a member: what is shown of it, and where it stands when it is resumed."""

import json
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from agents.runtime.mapping import scrub
from agents.runtime.tools.decorator import tool_named
from agents.services.approvals import RequestedCall
from conversations.transcript import NewRow, Row

_CONTROL = frozenset({"function_approval_request", "function_approval_response"})
# A sum that cannot be read is above every limit.
UNREADABLE = Decimal("999999999999.99")
_WHY_LENGTH = 2_000


def requested_calls(state: Mapping[str, Any], rows: Sequence[NewRow]) -> list[RequestedCall]:
    """The calls of the framework's pending batch, with what the agent said beside them."""
    why = _said(rows)
    return [_requested(request, why) for request in state.get("pending_approval_requests") or []]


def _requested(request: Mapping[str, Any], why: str) -> RequestedCall:
    call = request["function_call"]
    name, arguments = str(call.get("name") or ""), arguments_of(call.get("arguments"))
    return RequestedCall(request["id"], name, arguments, why, amount_of(name, arguments))


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


def amount_of(tool_name: str, arguments: Mapping[str, Any]) -> Decimal | None:
    """The money that a call moves; None for a tool that moves none."""
    tool = tool_named(tool_name)
    if tool is None or not tool.money:
        return None
    return number_of(arguments.get(tool.money))


def number_of(value: Any) -> Decimal:
    """How much it is, whatever its sign."""
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return UNREADABLE
    readable = number.is_finite() and abs(number) < UNREADABLE
    return abs(number) if readable else UNREADABLE


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
    taken = {row.id for row in batch}
    return [row for row in rows if row.id not in taken], batch


def _belongs(row: Row, pending: Collection[str]) -> bool:
    parts = [part for part in row.parts or [] if part.get("type") in _CONTROL]
    return any(part.get("id") in pending for part in parts)
