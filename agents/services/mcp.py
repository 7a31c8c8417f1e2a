"""A tenant's MCP servers: where they stand, with which headers, and which tools they offer."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models.functions import Now

from agents.models import McpServer
from agents.services.http_tools import header_mistake
from agents.services.tools import forget_rules
from tenants.addresses import AddressRefused, check_url
from tenants.crypto import decrypt, encrypt
from tenants.errors import InvalidInput
from tenants.models import Member, Tenant
from tenants.scoping import current_tenant_id
from tenants.services import audit

_FIELD = "mcp_server.headers"
_NAME = re.compile(r"^[a-z][a-z0-9]{1,19}$")
_ODD = re.compile(r"[^a-z0-9_]+")
MOST_TOOLS = 50


@dataclass(frozen=True)
class McpValues:
    """Everything of a server that a member sets, beside its secret headers."""

    name: str
    url: str
    needs_approval: bool = True
    enabled: bool = True


def offered_name(server: str, tool: str) -> str:
    """How the model calls it: the server's name in front, in letters that every protocol takes."""
    return f"{server}_{_ODD.sub('_', tool.lower())}"[:60]


def offered_names(server: McpServer) -> set[str]:
    """The names of its tools as they were read last."""
    return {offered_name(server.name, tool["name"]) for tool in server.tools}


@transaction.atomic
def add_server(values: McpValues, *, headers: dict[str, str], by: Member) -> McpServer:
    """A new server without tools: they are read from it next."""
    _refuse(values, headers, but=None)
    server = McpServer.objects.create(**asdict(values), headers_encrypted=_sealed(headers))
    audit.record("mcp_server.added", by=by, target=server, detail={"headers": len(headers)})
    return server


@transaction.atomic
def change_server(
    server: McpServer, values: McpValues, *, headers: dict[str, str] | None, by: Member
) -> McpServer:
    """Sets everything anew. Another address has other tools, and gets no old header."""
    moved, before = server.url != values.url, offered_names(server)
    if moved and headers is None and server.headers_encrypted:
        told = "The address has changed. Enter its headers, or remove the old ones."
        raise InvalidInput(told, errors={"headers": [told]})
    _refuse(values, headers or {}, but=server)
    changed = sorted(
        name for name, value in asdict(values).items() if getattr(server, name) != value
    )
    for name, value in asdict(values).items():
        setattr(server, name, value)
    if headers is not None:
        server.headers_encrypted = _sealed(headers)
    if moved:
        server.tools, server.tools_read_at = [], None
    server.changed_at = Now()
    server.save(
        update_fields=[*asdict(values), "headers_encrypted", "tools", "tools_read_at", "changed_at"]
    )
    forget_rules(before - offered_names(server), by=by)
    act = "kept" if headers is None else "set" if headers else "removed"
    detail = {"fields": changed, "headers": act}
    audit.record("mcp_server.changed", by=by, target=server, detail=detail)
    return server


@transaction.atomic
def keep_tools(server: McpServer, tools: Sequence[dict[str, Any]], *, by: Member) -> None:
    """What the server offers, as it was read just now; the agent gets these and no others."""
    before = offered_names(server)
    server.tools, server.tools_read_at = list(tools[:MOST_TOOLS]), Now()
    server.save(update_fields=["tools", "tools_read_at"])
    forget_rules(before - offered_names(server), by=by)
    detail = {"tools": len(server.tools)}
    audit.record("mcp_server.tools_read", by=by, target=server, detail=detail)


@transaction.atomic
def delete_server(server: McpServer, *, by: Member) -> None:
    """Versions that name its tools go on without them, and their rules are forgotten."""
    forget_rules(offered_names(server), by=by)
    audit.record("mcp_server.deleted", by=by, target=server)
    server.delete()


def server_headers(server: McpServer) -> dict[str, str]:
    """In the clear; empty when there are none."""
    sealed = server.headers_encrypted
    headers: dict[str, str] = json.loads(decrypt(bytes(sealed), field=_FIELD)) if sealed else {}
    return headers


def _sealed(headers: dict[str, str]) -> bytes | None:
    return encrypt(json.dumps(headers), field=_FIELD) if headers else None


def _refuse(values: McpValues, headers: dict[str, str], *, but: McpServer | None) -> None:
    checks = {
        "name": _name_mistake(values.name, but),
        "url": _url_mistake(values.url),
        "headers": header_mistake(headers),
    }
    errors = {name: [text] for name, text in checks.items() if text}
    if errors:
        raise InvalidInput(" ".join(text for text in checks.values() if text), errors=errors)


def _name_mistake(name: str, but: McpServer | None) -> str:
    if not _NAME.match(name):
        return "Use 2 to 20 small letters and digits, beginning with a letter."
    # Two members could take the same name: the tenant's row puts them in line.
    Tenant.objects.select_for_update(no_key=True).get(id=current_tenant_id())
    holder = McpServer.objects.filter(name=name).first()
    return "" if holder in {None, but} else "This name is taken. Choose another."


def _url_mistake(url: str) -> str:
    try:
        check_url(url)
    except AddressRefused as refusal:
        return refusal.detail
    return "" if urlsplit(url).query == "" else "Leave out what follows the question mark."
