"""Speaks to MCP servers by streamable HTTP, through the guarded way out.

A session of its own for every call: between calls nothing is held, and a server that forgets its
sessions makes no call fail.
"""

import json
import re
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from jsonschema import Draft202012Validator, SchemaError

from agents.access import mcp_server_for_member
from agents.models import McpServer
from agents.runtime.loop import run_here
from agents.services.http_tools import LONGEST_SCHEMA
from agents.services.mcp import MOST_TOOLS, keep_tools, server_headers
from tenants.addresses import RULES, AddressRules
from tenants.errors import DeskError
from tenants.models import Member
from tenants.scoping import tenant_scope
from tenants.text import scrub_text

PROTOCOL = "2025-06-18"
ANSWER_BYTES = 256 * 1024
CALL_SECONDS = 20.0
_MOST_PAGES = 5
_DESCRIPTION, _SHOWN = 500, 300
_SESSION, _VERSION = "mcp-session-id", "mcp-protocol-version"


class McpFault(DeskError):
    """The server answered, but not what the protocol says."""

    code = "mcp_fault"
    status = 502
    title = "The server did not answer as expected"
    detail = "The server does not speak MCP by streamable HTTP at this address."


@dataclass(frozen=True)
class McpAddress:
    """Where a server stands; its headers are never printed."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    rules: AddressRules = RULES


def address_of(server: McpServer) -> McpAddress:
    return McpAddress(server.url, server_headers(server))


def read_tools(member: Member, server_id: UUID) -> int:
    """Asks a member's server for its tools and keeps them; no scope is open while it answers."""
    with tenant_scope(member.tenant.id):
        address = address_of(mcp_server_for_member(member, server_id))
    try:
        tools = run_here(list_tools(address))
    except DeskError:
        raise
    except Exception as error:
        raise McpFault(f"The server cannot be reached ({type(error).__name__}).") from error
    with tenant_scope(member.tenant.id):
        keep_tools(mcp_server_for_member(member, server_id), tools, by=member)
    return len(tools)


async def list_tools(address: McpAddress) -> list[dict[str, Any]]:
    """The tools that the server offers, as we store them; those that we cannot use are left out."""
    found: list[dict[str, Any]] = []
    async with _session(address) as talk:
        cursor = None
        for _ in range(_MOST_PAGES):
            page = await talk.ask("tools/list", {"cursor": cursor} if cursor else {})
            found += filter(None, map(_tool, page.get("tools") or []))
            cursor = page.get("nextCursor")
            if not cursor or len(found) >= MOST_TOOLS:
                break
    return found[:MOST_TOOLS]


async def call_tool(address: McpAddress, name: str, values: Mapping[str, Any]) -> str:
    """The texts of the tool's answer; raises `McpFault` when the server says that it failed."""
    async with _session(address) as talk:
        answer = await talk.ask("tools/call", {"name": name, "arguments": dict(values)})
    parts = answer.get("content") or []
    said = "\n".join(str(part.get("text", "")) for part in parts if part.get("type") == "text")
    for secret in address.headers.values():
        said = said.replace(secret, "…")
    if answer.get("isError"):
        raise McpFault(f"The tool answered with an error: {said[:_SHOWN]}")
    return said or "(no text)"


class _Talk:
    """One session with a server."""

    def __init__(self, address: McpAddress) -> None:
        self._address, self._count = address, 0
        self._own: dict[str, str] = {}

    async def open(self) -> None:
        about = {"name": "turnstone", "version": "1"}
        hello = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": about}
        answer = await self.ask("initialize", hello)
        self._own[_VERSION] = str(answer.get("protocolVersion") or PROTOCOL)
        await self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self._count += 1
        asked = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}
        for message in await self._send(asked):
            if message.get("id") == self._count and isinstance(message.get("result"), dict):
                result: dict[str, Any] = message["result"]
                return result
            if message.get("id") == self._count and "error" in message:
                raise McpFault(f"The server refuses {method}: {str(message['error'])[:_SHOWN]}")
        raise McpFault

    async def _send(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        from agents.runtime.egress import Call, fetch  # noqa: PLC0415 - slow

        accept = {"accept": "application/json, text/event-stream", "user-agent": "Turnstone"}
        headers = {**accept, "content-type": "application/json", **self._own}
        body = json.dumps(message, ensure_ascii=False).encode()
        address = self._address
        call = Call("POST", address.url, headers, address.headers, body, ANSWER_BYTES, CALL_SECONDS)
        answer = await fetch(call, rules=address.rules)
        if answer.status >= 400:
            raise McpFault(f"The server answered {answer.status}. Check address and headers.")
        if session := answer.headers.get(_SESSION):
            self._own[_SESSION] = session
        return list(_messages(answer.content_type, answer.text))


@asynccontextmanager
async def _session(address: McpAddress) -> AsyncIterator[_Talk]:
    talk = _Talk(address)
    await talk.open()
    yield talk


def _messages(content_type: str, text: str) -> Iterable[dict[str, Any]]:
    """What an answer holds, whether it came whole or as events; what is no message is left out."""
    pieces = [text]
    if content_type.startswith("text/event-stream"):
        pieces = [_data(event) for event in re.split(r"\r?\n\r?\n", text)]
    for piece in pieces:
        try:
            found = json.loads(piece)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def _data(event: str) -> str:
    lines = [line[5:].strip() for line in event.splitlines() if line.startswith("data:")]
    return "\n".join(lines)


def _tool(given: Any) -> dict[str, Any] | None:
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
        return None
    schema = given.get("inputSchema") or {"type": "object"}
    if not _usable(schema):
        return None
    hints = given.get("annotations") or {}
    return {
        "name": scrub_text(given["name"])[:100],
        "description": scrub_text(str(given.get("description") or ""))[:_DESCRIPTION],
        "schema": schema,
        "only_reads": isinstance(hints, Mapping) and hints.get("readOnlyHint") is True,
    }


def _usable(schema: Any) -> bool:
    text = json.dumps(schema)
    if not isinstance(schema, dict) or len(text) > LONGEST_SCHEMA or '"$ref": "http' in text:
        return False
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError:
        return False
    return schema.get("type") == "object" and "\\u0000" not in text
