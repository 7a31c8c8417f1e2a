"""Making an export of one customer: every read of one moment, every piece sealed as it is made."""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from itertools import islice
from typing import Any
from uuid import UUID

from django.utils import timezone

from conversations.lines import words_of_export
from conversations.models import Customer, ExportRequest
from conversations.selectors.export_subject import Masks, Subject
from conversations.selectors.own_data import estimate, files, left_out
from conversations.selectors.own_files import is_given, own_files, path_of, pieces_of
from conversations.services import exports
from conversations.services.export_box import Box
from conversations.services.export_page import readable
from tenants import quick_redis
from tenants.models import Tenant
from tenants.portable import portables
from tenants.scoping import current_tenant_id

FORMAT, VERSION = "turnstone-export", 1
_LINES_AT_ONCE = 200
_PROGRESS_SECONDS = 3600


def rows_of(export: ExportRequest) -> int:
    """About how many rows there will be, for the progress."""
    if export.customer is not None:
        return estimate(export.customer)
    return sum(one.model.objects.count() for one in portables())


def make(export_id: UUID) -> None:
    """All of it in the open scope, which sees one moment; nothing of it stays if that fails.

    Raises `exports.StillBeingMade` when another worker is at it.
    """
    exports.take(export_id)
    export = ExportRequest.objects.filter(pk=export_id, state=ExportRequest.State.BUILDING).first()
    if export is None or export.customer is None:
        return
    box = Box(export)
    subject = _subject(export, export.customer)
    for name, rows in files(subject).items():
        box.write(f"{name}.jsonl", _counted(json_lines(rows()), export))
    for file in own_files(subject).iterator():
        if is_given(file, subject):
            box.write(path_of(file), pieces_of(file))
    box.write("index.html", ((text, 0) for text in readable(subject)))
    finish(box, {"left_out": left_out(subject), "customer": str(export.customer.id)})


def finish(box: Box, facts: dict[str, Any], *, before: Sequence[dict[str, Any]] = ()) -> None:
    """The manifest comes last: it names every file with its hash, and its own hash is kept."""
    named = [*before, *(file.as_json() for file in box.written)]
    rows, size = sum(file["rows"] for file in named), sum(file["bytes"] for file in named)
    manifest = manifest_of(box.export, named, facts)
    box.write("manifest.json", iter([(manifest, 0)]))
    exports.finish(box.export, size=size, rows=rows, manifest_sha256=sha256(manifest).hexdigest())


def manifest_of(
    export: ExportRequest, written: list[dict[str, Any]], facts: dict[str, Any]
) -> bytes:
    tenant = Tenant.objects.get(pk=current_tenant_id())
    whole = {
        "format": FORMAT,
        "version": VERSION,
        "kind": export.kind,
        "tenant": {"slug": tenant.slug, "name": tenant.name},
        "made_at": timezone.now().isoformat(),
        "time_zone": "UTC",
        "files": written,
        **facts,
    }
    return json.dumps(whole, ensure_ascii=False, indent=1).encode()


def json_lines(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[bytes, int]]:
    """JSON Lines in pieces of some rows each."""
    left = iter(rows)
    while found := list(islice(left, _LINES_AT_ONCE)):
        lines = (json.dumps(row, ensure_ascii=False, default=plain) for row in found)
        yield "".join(f"{line}\n" for line in lines).encode(), len(found)


def plain(value: Any) -> Any:
    """Times in UTC, money exactly, ids and everything else by their text."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID | Decimal):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no place in an export")


def progress_of(export: ExportRequest) -> int:
    """In percent; while one is being made its rows are nobody's to see, so Redis tells."""
    if export.state != ExportRequest.State.BUILDING or export.done:
        return export.percent
    done = quick_redis.attempt(lambda redis: redis.get(_key(export))) or 0
    return min(99, int(str(done)) * 100 // export.total) if export.total else 0


def _subject(export: ExportRequest, customer: Customer) -> Subject:
    tenant = Tenant.objects.get(pk=current_tenant_id())
    _language, words = words_of_export(customer.locale or tenant.locale)
    masks = Masks(tenant.agent_name, words["teammate"])
    return Subject(customer, masks, notes=export.notes)


def _counted(
    pieces: Iterator[tuple[bytes, int]], export: ExportRequest
) -> Iterator[tuple[bytes, int]]:
    for data, rows in pieces:
        quick_redis.attempt(lambda redis, rows=rows: _add(redis, export, rows))  # type: ignore[misc]
        yield data, rows


def _add(redis: Any, export: ExportRequest, rows: int) -> None:
    redis.incrby(_key(export), rows)
    redis.expire(_key(export), _PROGRESS_SECONDS)


def _key(export: ExportRequest) -> str:
    return f"export:{export.id}:{export.attempts}"
