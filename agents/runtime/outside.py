"""Messages of the desk to a tenant's other systems, by the one guarded way out."""

import asyncio
from collections.abc import Mapping

import httpx2
import structlog

from agents.runtime import egress
from conversations.hooks import Receipt
from tenants.errors import DeskError

_SECONDS = 10.0
_RECEIPT_BYTES = 64 * 1024
_log = structlog.get_logger(__name__)


def post(url: str, headers: Mapping[str, str], body: bytes) -> Receipt:
    """The other side's answer; status 0 when none came or the address may not be called."""
    call = egress.Call("POST", url, headers, {}, body=body, limit=_RECEIPT_BYTES, seconds=_SECONDS)
    try:
        answer = asyncio.run(egress.fetch(call))
    except (DeskError, httpx2.HTTPError, OSError) as error:
        _log.warning("message_not_delivered", error=type(error).__name__)
        return Receipt(0)
    return Receipt(answer.status, answer.body)
