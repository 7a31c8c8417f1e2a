"""A tenant's export arrives in an empty tenant: the same rows, with ids of their own.

Begun again after a break it goes on: every row's new id follows from the old one, and what is here
already is left alone.
"""

import json
import zipfile
from base64 import b64decode
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction

from conversations.models import Conversation, Customer
from conversations.services.exporting import FORMAT, VERSION
from conversations.services.importing_files import take_in
from conversations.services.retention import adopt
from conversations.services.tenant_exporting import SETTINGS
from tenants.errors import Conflict, InvalidInput
from tenants.models import AuditEntry, Tenant
from tenants.portable import Ids, Portable, portables
from tenants.scoping import current_tenant_id
from tenants.services import audit

_BATCH = 500
_BEGUN, _DONE = "tenant.import_begun", "tenant.imported"


class NotEmpty(Conflict):
    """Two tenants' data in one could never be told apart again."""

    code = "tenant_not_empty"
    detail = "This workspace has data already. Import into a new one, made by create_tenant."


class NotAnExport(InvalidInput):
    """The file is none of ours, damaged, or of a newer desk."""

    code = "not_an_export"


Progress = Callable[[str, int], None]
Scope = Callable[[], Any]


def import_tenant(path: Path, *, scope: Scope, progress: Progress) -> dict[str, int]:
    """Rows by table. `scope` opens the tenant's scope: each file is a transaction of its own."""
    with zipfile.ZipFile(path) as archive:
        manifest, fingerprint = _manifest(archive)
        for file in manifest["files"]:
            _check(archive, file)
        with scope() as tenant_id:
            ids = Ids(tenant_id)
            _begin(fingerprint)
        counts: dict[str, int] = {}
        for one, name in _in_order(manifest):
            with scope():
                count = _arrive(one, _rows(archive, name), ids)
            counts[one.name] = counts.get(one.name, 0) + count
            progress(one.name, counts[one.name])
        for one, name in _in_order(manifest):
            with scope():
                _link(one, _rows(archive, name), ids)
        counts["files"] = take_in(archive, manifest["files"], ids, scope=scope)
        with scope():
            _settings(next(_rows(archive, "settings.jsonl")))
            adopt()
            audit.record(_DONE, by=audit.job("import"), detail={"rows": sum(counts.values())})
    return counts


def _manifest(archive: zipfile.ZipFile) -> tuple[dict[str, Any], str]:
    try:
        data = archive.read("manifest.json")
        manifest: dict[str, Any] = json.loads(data)
    except (KeyError, ValueError) as error:
        raise NotAnExport("There is no manifest in this file: it is not an export.") from error
    if (manifest.get("format"), manifest.get("kind")) != (FORMAT, "tenant"):
        raise NotAnExport("This is not an export of a whole workspace.")
    if manifest.get("version") != VERSION:
        raise NotAnExport("This export is of another version of the desk. Bring the desk up to it.")
    return manifest, sha256(data).hexdigest()


def _check(archive: zipfile.ZipFile, file: dict[str, Any]) -> None:
    digest = sha256()
    with archive.open(file["name"]) as stream:
        while data := stream.read(1 << 20):
            digest.update(data)
    if digest.hexdigest() != file["sha256"]:
        raise NotAnExport(f"{file['name']} is damaged: its hash is not that of the manifest.")


def _begin(fingerprint: str) -> None:
    """Empty, or begun with this very file and not ended."""
    entries = AuditEntry.objects.filter(action__in=[_BEGUN, _DONE]).order_by("created_at", "id")
    last = entries.last()
    if last is not None and last.action == _BEGUN and last.detail == {"manifest": fingerprint}:
        return
    if last is not None or Customer.objects.exists() or Conversation.objects.exists():
        raise NotEmpty
    audit.record(_BEGUN, by=audit.job("import"), detail={"manifest": fingerprint})


def _in_order(manifest: dict[str, Any]) -> Iterator[tuple[Portable, str]]:
    """Parents before children, each file of a table in its order."""
    names = sorted(file["name"] for file in manifest["files"] if file["name"].startswith("data/"))
    for one in _parents_first():
        for name in names:
            if name.split("/")[1] == one.name:
                yield one, name


def _parents_first() -> list[Portable]:
    arriving: dict[Any, Portable] = {one.model: one for one in portables() if one.arrives}
    ordered: dict[Any, Portable] = {}

    def add(one: Portable) -> None:
        for field in one.model._meta.concrete_fields:
            parent = arriving.get(field.related_model)
            if parent is not None and parent is not one and parent.model not in ordered:
                add(parent)
        ordered.setdefault(one.model, one)

    for one in arriving.values():
        add(one)
    return list(ordered.values())


def _rows(archive: zipfile.ZipFile, name: str) -> Iterator[dict[str, Any]]:
    with archive.open(name) as lines:
        yield from (json.loads(line) for line in lines)


@transaction.atomic
def _arrive(one: Portable, rows: Iterator[dict[str, Any]], ids: Ids) -> int:
    count = 0
    while batch := list(islice(rows, _BATCH)):
        made = [row for values in batch if (row := _made(one, values, ids)) is not None]
        here = one.model.raw.filter(pk__in=[row.pk for row in made])
        before = set(here.values_list("pk", flat=True))
        one.model.objects.bulk_create(row for row in made if row.pk not in before)
        for row in made if one.arrived else ():
            one.arrived(row)  # type: ignore[misc]
        count += len(batch)
    return count


@transaction.atomic
def _link(one: Portable, rows: Iterator[dict[str, Any]], ids: Ids) -> None:
    """Rows that name another row of their own table, now that all are here."""
    own = [f for f in one.model._meta.concrete_fields if f.related_model is one.model]
    for values in rows if own else ():
        named = {f.attname: ids.new(UUID(values[f.attname])) for f in own if values[f.attname]}
        if named:
            one.model.raw.filter(pk=ids.new(UUID(values["id"]))).update(**named)


def _made(one: Portable, values: dict[str, Any], ids: Ids) -> Any:
    # Older files have more than leaves today.
    values = {name: value for name, value in values.items() if name not in one.without}
    if one.arriving is not None:
        changed = one.arriving(values, ids)
        if changed is None:
            return None
        values = changed
    row = one.model()
    for field in one.model._meta.concrete_fields:
        # A row of the same table may come in a later file: see `_link`.
        if field.attname in values and field.related_model is not one.model:
            setattr(row, field.attname, _value(one, field, values[field.attname], ids))
    return row


def _value(one: Portable, field: "models.Field[Any, Any]", value: Any, ids: Ids) -> Any:
    if value is None:
        return None
    if isinstance(field, ArrayField):
        return [_value(one, field.base_field, item, ids) for item in value]
    if isinstance(field, models.JSONField):
        return _with_new_ids(value, ids) if field.name in one.ids_in else value
    if _is_id(one, field):
        return ids.new(UUID(str(value)))
    return b64decode(value) if isinstance(field, models.BinaryField) else field.to_python(value)


def _is_id(one: Portable, field: "models.Field[Any, Any]") -> bool:
    if isinstance(field, models.ForeignKey):
        return field.related_model is not apps.get_model("tenants.User")
    return isinstance(field, models.UUIDField) and field.name not in one.not_ids


def _with_new_ids(value: Any, ids: Ids) -> Any:
    """Every word that is an id becomes the new one, however deep it stands."""
    if isinstance(value, dict):
        return {name: _with_new_ids(inner, ids) for name, inner in value.items()}
    if isinstance(value, list):
        return [_with_new_ids(inner, ids) for inner in value]
    try:
        return str(ids.new(UUID(value))) if isinstance(value, str) and len(value) == 36 else value
    except ValueError:
        return value


def _settings(values: dict[str, Any]) -> None:
    tenant = Tenant.objects.get(pk=current_tenant_id())
    for name in SETTINGS:
        if name in values:
            field: Any = Tenant._meta.get_field(name)
            setattr(tenant, name, field.to_python(values[name]))
    tenant.save(update_fields=list(SETTINGS))
