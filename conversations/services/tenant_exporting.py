"""Making a copy of a whole tenant, step by step: a killed worker's successor goes on where it was.

A moment of the whole tenant cannot outlive a transaction, and one that lasted minutes would die
with its worker. So a step reads some conversations with all that hangs on them in one moment, and
the tables that they point to come last: whatever a conversation names is there. Files follow the
conversations, as files of their own; one that was taken out meanwhile is missing, and arrives as
one that was.
"""

from base64 import b64encode
from collections.abc import Iterator
from itertools import groupby
from typing import Any
from uuid import UUID

from django.db import models

from conversations.models import Attachment, Conversation, ExportPart, ExportRequest
from conversations.selectors.own_files import path_of, pieces_of, preview_path_of
from conversations.services import exports
from conversations.services.export_box import Box
from conversations.services.exporting import finish, json_lines
from tenants.models import Tenant
from tenants.portable import Portable, portables, staying
from tenants.scoping import current_tenant_id

TALKS_A_STEP, ROWS_A_STEP = 50, 1000
# The tenant's settings; its address and its state are the other place's to give.
SETTINGS = (
    "name", "locale", "time_zone", "colour", "agent_name", "greeting", "hours", "agent_mode",
    "max_running_turns", "approval_limit", "approval_hours", "erasure_wait_hours", "end_wait_days",
    "link_hosts",
)  # fmt: skip
_TALKS, _FILES = "talks", "files"
# So much of the files is read in a step, and a file more.
_FILES_AT_ONCE = 100
_BYTES_A_STEP = 32 * 1024 * 1024


def step(export_id: UUID) -> bool:
    """One step in the open scope, which sees one moment; False when it was the last."""
    exports.take(export_id)
    export = ExportRequest.objects.filter(pk=export_id, state=ExportRequest.State.BUILDING).first()
    if export is None:
        return False
    place = export.cursor.get("section", _TALKS)
    after = export.cursor.get("after")
    parts = ExportPart.objects.filter(export=export).count()
    box = Box(export, first=parts)
    if place == _TALKS:
        last = _talks(box, after, number=parts)
    elif place == _FILES:
        last = _files_of_talks(box, after)
    else:
        last = _plain(box, _sections()[place], after, number=parts)
    following = {"section": place, "after": str(last)} if last else _next_section(place)
    if following is None:
        _end(export, box)
        return False
    exports.note_progress(export, rows=sum(f.rows for f in box.written), cursor=following)
    return True


def _talks(box: Box, after: str | None, *, number: int) -> UUID | None:
    """Some conversations and all that hangs on them; the last one, or None when there are none."""
    rows = Conversation.objects.filter(pk__gt=after) if after else Conversation.objects.all()
    ids = list(rows.order_by("pk").values_list("pk", flat=True)[:TALKS_A_STEP])
    for one in portables():
        if one.within and ids:
            found = one.model.objects.filter(**{f"{one.within}__in": ids}).order_by("pk")
            _write(box, one, found, number)
    return ids[-1] if ids else None


def _files_of_talks(box: Box, after: str | None) -> UUID | None:
    """Some files with their small pictures; the last one, or None when there are none."""
    rows = Attachment.objects.filter(conversation__isnull=False, redacted_at__isnull=True)
    rows = rows.filter(pk__gt=after) if after else rows
    last, size = None, 0
    for file in rows.order_by("pk").iterator(_FILES_AT_ONCE):
        size += box.write(path_of(file), pieces_of(file)).size
        if file.is_image:
            size += box.write(preview_path_of(file), pieces_of(file, "preview")).size
        last = file.pk
        if size >= _BYTES_A_STEP:
            break
    return last


def _plain(box: Box, one: Portable, after: str | None, *, number: int) -> UUID | None:
    rows = one.model.objects.filter(pk__gt=after) if after else one.model.objects.all()
    rows = one.of(rows) if one.of else rows
    ids = list(rows.order_by("pk").values_list("pk", flat=True)[:ROWS_A_STEP])
    if ids:
        _write(box, one, one.model.objects.filter(pk__in=ids).order_by("pk"), number)
    return ids[-1] if ids else None


def _write(box: Box, one: Portable, rows: "models.QuerySet[Any]", number: int) -> None:
    """Nothing for no rows. The number makes the name the only one."""
    if rows.exists():
        pieces = json_lines(_leaving(one, rows))
        box.write(f"data/{one.name}/{number:06}.jsonl", pieces)


def _leaving(one: Portable, rows: "models.QuerySet[Any]") -> Iterator[dict[str, Any]]:
    fields = [field for field in one.model._meta.concrete_fields if _leaves(one, field)]
    for row in rows.select_related(*one.related or (None,)).iterator(ROWS_A_STEP):
        values = {field.attname: _value(getattr(row, field.attname)) for field in fields}
        yield values | (one.departing(row) if one.departing else {})


def _leaves(one: Portable, field: "models.Field[Any, Any]") -> bool:
    return field.name not in {"tenant", *one.without} and not getattr(field, "generated", False)


def _value(value: Any) -> Any:
    return b64encode(bytes(value)).decode() if isinstance(value, bytes | memoryview) else value


def _sections() -> dict[str, Portable]:
    return {one.name: one for one in portables() if not one.within}


def _next_section(place: str) -> dict[str, Any] | None:
    names = [_TALKS, _FILES, *_sections()]
    following = names.index(place) + 1
    return {"section": names[following]} if following < len(names) else None


def _end(export: ExportRequest, box: Box) -> None:
    tenant = Tenant.objects.get(pk=current_tenant_id())
    settings = {name: getattr(tenant, name) for name in SETTINGS}
    box.write("settings.jsonl", json_lines([settings]))
    names = {file.name for file in box.written}
    before = [file for file in _files(export) if file["name"] not in names]
    facts = {"settings": list(SETTINGS), "stays": staying(), "source": str(export.tenant_id)}
    finish(box, facts, before=before)


def _files(export: ExportRequest) -> list[dict[str, Any]]:
    """What the steps before have written, as the manifest names it."""
    parts = ExportPart.objects.filter(export=export).order_by("number")
    named = parts.values("name", "rows", "size", "sha256")
    return [_file(name, list(pieces)) for name, pieces in groupby(named, lambda p: p["name"])]


def _file(name: str, pieces: list[Any]) -> dict[str, Any]:
    return {
        "name": name,
        "rows": sum(piece["rows"] for piece in pieces),
        "bytes": sum(piece["size"] for piece in pieces),
        "sha256": pieces[-1]["sha256"],
    }
