"""The record as a file, streamed in short scopes: it may be long."""

import csv
import io
import json
from collections.abc import AsyncGenerator, Callable
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import connection
from django.http import StreamingHttpResponse
from django.utils import timezone

from tenants.models import AuditEntry, Tenant
from tenants.scoping import tenant_scope
from tenants.selectors.audit import Spot, Wanted, entries, links_of
from tenants.shapes import audit_json

JSON, CSV = "jsonl", "csv"
KINDS = {JSON: "application/x-ndjson", CSV: "text/csv"}
BATCH = 1000
_COLUMNS = [
    "id", "at", "actor_kind", "actor_id", "actor_code", "action", "target_kind", "target_id",
    "detail", "seq", "hash",
]  # fmt: skip
# What a spreadsheet would run as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def answer(tenant: Tenant, wanted: Wanted, kind: str) -> StreamingHttpResponse:
    name = f"audit-{tenant.slug}-{timezone.now():%Y-%m-%d}.{kind}"
    return StreamingHttpResponse(
        _file(tenant.id, wanted, kind),
        content_type=f"{KINDS[kind]}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


async def _file(tenant_id: UUID, wanted: Wanted, kind: str) -> AsyncGenerator[str]:
    if kind == CSV:
        yield _csv_line(_COLUMNS)
    spell = _csv_row if kind == CSV else _json_row
    after: Spot | None = None
    while True:
        lines, after = await sync_to_async(_batch, thread_sensitive=False)(
            tenant_id, wanted, after, spell
        )
        yield "".join(lines)
        if len(lines) < BATCH:
            return


def _batch(
    tenant_id: UUID, wanted: Wanted, after: Spot | None, spell: Callable[[dict[str, Any]], str]
) -> tuple[list[str], Spot | None]:
    try:
        with tenant_scope(tenant_id):
            found: list[AuditEntry] = list(entries(wanted, after=after)[:BATCH])
            links = links_of(found)
            lines = [spell(audit_json(entry, links.get(entry.id))) for entry in found]
        return lines, (found[-1].created_at, found[-1].id) if found else after
    finally:
        connection.close()  # back to the pool: a slow reader holds none


def _json_row(entry: dict[str, Any]) -> str:
    return json.dumps(entry, ensure_ascii=False, default=str) + "\n"


def _csv_row(entry: dict[str, Any]) -> str:
    actor, target = entry["actor"], entry["target"] or {"kind": "", "id": ""}
    detail = json.dumps(entry["detail"], ensure_ascii=False)
    doer = [actor["kind"], actor["id"], actor["code"]]
    about = [target["kind"], target["id"], detail, entry["seq"], entry["hash"]]
    return _csv_line([entry["id"], entry["at"], *doer, entry["action"], *about])


def _csv_line(values: list[Any]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow([_safe("" if value is None else str(value)) for value in values])
    return line.getvalue()


def _safe(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
