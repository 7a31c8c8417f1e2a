"""Tools by configuration: one request to the tenant's own server, through the guarded way out."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

import structlog
from agent_framework import FunctionInvocationContext, FunctionTool
from jsonschema import Draft202012Validator

from agents.models import HttpTool
from agents.runtime.tools.decorator import FAILED, DeskTool, fitted
from agents.services.http_tools import placeholders, secret_headers
from tenants.addresses import RULES, AddressRules
from tenants.errors import DeskError

log = structlog.get_logger(__name__)

_TEXT = ("text/", "application/json", "application/problem+json", "application/xml")
_SHOWN = 300


@dataclass(frozen=True)
class HttpCall:
    """A configured tool, read from its row in a short scope; its secrets are never printed."""

    name: str
    method: str
    url: str
    schema: Mapping[str, Any]
    response_limit: int
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    rules: AddressRules = RULES


class ArgumentsRefused(DeskError):
    """The model's arguments do not fit; it may try again."""

    code = "arguments_refused"


def http_tools(names: Sequence[str]) -> dict[str, DeskTool]:
    """Those of the tenant's tools that a version names and that are switched on."""
    rows = HttpTool.objects.filter(name__in=list(names), enabled=True)
    return {row.name: http_tool(row) for row in rows}


def http_tool(row: HttpTool, *, rules: AddressRules = RULES) -> DeskTool:
    call = HttpCall(
        name=row.name,
        method=row.method,
        url=row.url,
        schema=row.schema,
        response_limit=row.response_limit,
        headers=secret_headers(row),
        rules=rules,
    )

    async def invoke(context: FunctionInvocationContext, **values: Any) -> str:
        return await _guarded(call, context, values)

    function = FunctionTool(
        name=row.name,
        description=row.description,
        func=invoke,
        input_model=row.schema,
        approval_mode="always_require" if row.needs_approval else "never_require",
    )
    keys = tuple(call.headers.values())
    return DeskTool(function, row.needs_verified, "", row.only_reads, secrets=keys)


async def _guarded(
    call: HttpCall, context: FunctionInvocationContext, values: Mapping[str, Any]
) -> str:
    try:
        return fitted(await asked(call, values, key=context.metadata.get("idempotency_key", "")))
    except DeskError as refusal:
        context.metadata["failed"] = True
        return fitted(refusal.detail)
    except Exception as error:  # noqa: BLE001 - whatever a server does, the model is told in words
        context.metadata["failed"] = True
        log.warning("http_tool_failed", tool=call.name, error=type(error).__name__)
        return FAILED


async def asked(call: HttpCall, values: Mapping[str, Any], *, key: str) -> str:
    """What the server said, as text for the model, without the headers' secrets."""
    from agents.runtime.egress import Call, fetch  # noqa: PLC0415 - slow

    _check(call.schema, values)
    url, body = filled(call, values)
    headers = {"accept": "application/json, text/*;q=0.8", "user-agent": "Turnstone"}
    if body is not None:
        headers["content-type"] = "application/json"
    if key:
        headers["idempotency-key"] = key
    request = Call(call.method, url, headers, call.headers, body, limit=call.response_limit)
    answer = await fetch(request, rules=call.rules)
    said = answer.text if answer.content_type.startswith(_TEXT) else "(no text)"
    for secret in call.headers.values():
        said = said.replace(secret, "…")
    return said if answer.status < 400 else f"The server answered {answer.status}: {said[:_SHOWN]}"


def filled(call: HttpCall, values: Mapping[str, Any]) -> tuple[str, bytes | None]:
    """The address and the body: arguments named in the address stand there and nowhere else."""
    named = placeholders(call.url)
    inside = {name: _segment(values.get(name, "")) for name in named}
    rest = {name: value for name, value in values.items() if name not in inside}
    url = call.url.format(**inside)
    if call.method in {"GET", "DELETE"}:
        more = urlencode({name: _plain(value) for name, value in rest.items()})
        return (f"{url}{'&' if '?' in url else '?'}{more}" if more else url), None
    return url, json.dumps(rest, ensure_ascii=False).encode()


def _check(schema: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    error = next(Draft202012Validator(schema).iter_errors(dict(values)), None)
    if error is not None:
        where = ".".join(str(step) for step in error.absolute_path) or "the arguments"
        raise ArgumentsRefused(f"Not done: {where}: {error.message[:_SHOWN]}")


def _segment(value: Any) -> str:
    """One piece of an address: no argument climbs up in a path or opens a query of its own."""
    text = _plain(value)
    if text in {"", ".", ".."}:
        raise ArgumentsRefused("Not done: an argument of the address is empty or a path.")
    return quote(text, safe="")


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
