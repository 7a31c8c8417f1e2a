"""What the tests of exports share: run the work, read the zip, plant canaries."""

import io
import json
import zipfile
from hashlib import sha256
from typing import Any
from uuid import uuid4

from asgiref.sync import async_to_sync

from conversations.models import ExportRequest
from conversations.services import exports
from conversations.services.export_zip import ZipStream, names_of, piece
from conversations.tasks import make_export
from tenants.due import Work
from tenants.scoping import tenant_scope


def make(export: ExportRequest, *, rounds: int = 1) -> ExportRequest:
    """Let the worker make it; several rounds as the bell may ring."""
    for _ in range(rounds):
        make_export(Work(export.tenant.id, exports.EXPORT, export.id))
    with tenant_scope(export.tenant.id):
        export.refresh_from_db()
    return export


def zip_of(export: ExportRequest) -> zipfile.ZipFile:
    """The file as it would be sent."""
    with tenant_scope(export.tenant.id):
        stream = ZipStream()
        data = b"".join(
            stream.add(name, piece(export.id, number)) for number, name in names_of(export)
        )
        return opened(data + stream.end())


def opened(data: bytes) -> zipfile.ZipFile:
    archive = zipfile.ZipFile(io.BytesIO(data))
    assert archive.testzip() is None
    return archive


def body_of(response: Any) -> bytes:
    """All of a streamed answer."""

    async def read() -> bytes:
        return b"".join([chunk async for chunk in response])

    return async_to_sync(read)()


def rows_of(archive: zipfile.ZipFile) -> dict[str, list[dict[str, Any]]]:
    """Every JSON Lines file, parsed."""
    return {
        name.removesuffix(".jsonl"): [json.loads(line) for line in archive.read(name).splitlines()]
        for name in archive.namelist()
        if name.endswith(".jsonl")
    }


def check_manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    """Every file is named once with its true hash and size."""
    manifest: dict[str, Any] = json.loads(archive.read("manifest.json"))
    named = {file["name"] for file in manifest["files"]}
    assert named == set(archive.namelist()) - {"manifest.json"}
    for file in manifest["files"]:
        data = archive.read(file["name"])
        assert (sha256(data).hexdigest(), len(data)) == (file["sha256"], file["bytes"])
    return manifest


def token(kind: str) -> str:
    """A word that stands nowhere else."""
    return f"canary-{kind}-{uuid4().hex}"
