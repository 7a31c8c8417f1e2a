"""A tenant's tools by configuration: requests to its own servers, with their secret headers."""

import json
import re
from collections.abc import Collection
from dataclasses import asdict, dataclass
from string import Formatter
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from jsonschema import Draft202012Validator, SchemaError

from agents.models import HttpTool, Specialist
from agents.services.tools import forget_rules
from tenants.addresses import AddressRefused, check_url
from tenants.crypto import decrypt, encrypt
from tenants.errors import InvalidInput
from tenants.models import Member, Tenant
from tenants.scoping import current_tenant_id
from tenants.services import audit

_FIELD = "http_tool.headers"
_NAME = re.compile(r"^[a-z][a-z0-9_]{2,59}$")
_HEADER = re.compile(r"^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,80}$")
# The desk's own, and those by which a request could be made to mean two things.
_RESERVED = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "upgrade"}
)
MOST_HEADERS = 10
LONGEST_SCHEMA = 20_000
LARGEST_ANSWER = 1_048_576
SMALLEST_ANSWER = 256


@dataclass(frozen=True)
class HttpToolValues:
    """Everything of a tool that a member sets, beside its secret headers."""

    name: str
    description: str
    method: str
    url: str
    schema: dict[str, Any]
    response_limit: int = 32_768
    needs_approval: bool = False
    needs_verified: bool = False
    enabled: bool = True


@transaction.atomic
def add_http_tool(
    values: HttpToolValues, *, headers: dict[str, str], taken: Collection[str], by: Member
) -> HttpTool:
    """A new tool; the agent has it once a version names it. `taken`: names of built-in tools."""
    _refuse(values, headers, taken, but=None)
    tool = HttpTool.objects.create(**asdict(values), headers_encrypted=_sealed(headers))
    detail = {"method": tool.method, "headers": len(headers)}
    audit.record("http_tool.added", by=by, target=tool, detail=detail)
    return tool


@transaction.atomic
def change_http_tool(
    tool: HttpTool,
    values: HttpToolValues,
    *,
    headers: dict[str, str] | None,
    taken: Collection[str],
    by: Member,
) -> HttpTool:
    """Sets everything anew; `headers` None keeps the stored ones, which go to their server only."""
    moved = urlsplit(tool.url).netloc != urlsplit(values.url).netloc
    if moved and headers is None and tool.headers_encrypted:
        told = "The server has changed. Enter its headers, or remove the old ones."
        raise InvalidInput(told, errors={"headers": [told]})
    _refuse(values, headers or {}, taken, but=tool)
    changed = sorted(name for name, value in asdict(values).items() if getattr(tool, name) != value)
    if "name" in changed:
        forget_rules([tool.name], by=by)
    for name, value in asdict(values).items():
        setattr(tool, name, value)
    if headers is not None:
        tool.headers_encrypted = _sealed(headers)
    tool.save(update_fields=[*asdict(values), "headers_encrypted"])
    act = "kept" if headers is None else "set" if headers else "removed"
    audit.record(
        "http_tool.changed", by=by, target=tool, detail={"fields": changed, "headers": act}
    )
    return tool


@transaction.atomic
def delete_http_tool(tool: HttpTool, *, by: Member) -> None:
    """Versions that name it go on without it, and its rule is forgotten."""
    forget_rules([tool.name], by=by)
    audit.record("http_tool.deleted", by=by, target=tool)
    tool.delete()


def secret_headers(tool: HttpTool) -> dict[str, str]:
    """In the clear; empty when there are none."""
    sealed = tool.headers_encrypted
    headers: dict[str, str] = json.loads(decrypt(bytes(sealed), field=_FIELD)) if sealed else {}
    return headers


def placeholders(url: str) -> list[str]:
    """The arguments that a template names; raises ValueError for one that cannot be filled."""
    found = [
        (name, spec, turn) for _, name, spec, turn in Formatter().parse(url) if name is not None
    ]
    if any(spec or turn or not name.isidentifier() for name, spec, turn in found):
        raise ValueError(url)
    return [name for name, _, _ in found]


def _sealed(headers: dict[str, str]) -> bytes | None:
    return encrypt(json.dumps(headers), field=_FIELD) if headers else None


def _refuse(
    values: HttpToolValues,
    headers: dict[str, str],
    taken: Collection[str],
    *,
    but: HttpTool | None,
) -> None:
    checks = {
        "name": _name_mistake(values.name, taken, but),
        "description": "" if values.description.strip() else "Tell the model what it is for.",
        "schema": _schema_mistake(values.schema),
        "url": _url_mistake(values),
        "headers": header_mistake(headers),
        "response_limit": ""
        if SMALLEST_ANSWER <= values.response_limit <= LARGEST_ANSWER
        else f"Choose a number from {SMALLEST_ANSWER} to {LARGEST_ANSWER:,}.",
    }
    errors = {name: [text] for name, text in checks.items() if text}
    if errors:
        raise InvalidInput(" ".join(text for text in checks.values() if text), errors=errors)


def _name_mistake(name: str, taken: Collection[str], but: HttpTool | None) -> str:
    if not _NAME.match(name):
        return "Use 3 to 60 small letters, digits and _, beginning with a letter."
    # Two members could take the same name: the tenant's row puts them in line.
    Tenant.objects.select_for_update(no_key=True).get(id=current_tenant_id())
    holder = HttpTool.objects.filter(name=name).first()
    answers = Specialist.objects.filter(name=name, retired_at__isnull=True).exists()
    is_free = name not in taken and not answers and holder in {None, but}
    return "" if is_free else "This name is taken. Choose another."


def _schema_mistake(schema: dict[str, Any]) -> str:
    if schema.get("type") != "object" or len(json.dumps(schema)) > LONGEST_SCHEMA:
        return 'Give a JSON Schema that begins with {"type": "object", …}.'
    if "$ref" in json.dumps(schema):
        return "References to other schemas are not followed. Write the schema out."
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"This is no valid JSON Schema: {error.message[:200]}"
    return ""


def _url_mistake(values: HttpToolValues) -> str:
    try:
        named = placeholders(values.url)
        check_url(values.url.replace("{", "").replace("}", ""))
    except ValueError:
        return "Write arguments as {name}, by the names of the schema."
    except AddressRefused as refusal:
        return refusal.detail
    if "{" in urlsplit(values.url).netloc:
        return "The server's name must be fixed: no argument may change where a call goes."
    properties = values.schema.get("properties") or {}
    unknown = [name for name in named if name not in properties]
    if not unknown:
        return ""
    return f"The schema has no argument {unknown[0]}. Add it there, or take it out of the address."


def header_mistake(headers: dict[str, str]) -> str:
    if len(headers) > MOST_HEADERS:
        return f"At most {MOST_HEADERS} headers."
    for name, value in headers.items():
        if not _HEADER.match(name) or name.lower() in _RESERVED:
            return f"The header {name[:80]!r} cannot be set here."
        if not value.isascii() or not value.isprintable() or len(value) > 4_000:
            return f"The value of {name} holds characters that no header may hold."
    return ""
