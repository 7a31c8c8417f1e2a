"""Files that are made while they are sent; no scope is held between two pieces."""

from collections.abc import AsyncIterator
from functools import partial
from uuid import UUID

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse

from conversations.models import ExportRequest
from conversations.services.export_zip import Names, ZipStream, names_of, piece
from conversations.streams import in_short_scope
from tenants.scoping import current_tenant_id


def export_file(export: ExportRequest) -> StreamingHttpResponse:
    """The zip of an export that was fetched just now; inside the scope, which may close then.

    Should what it holds be erased half-way, the stream breaks off.
    """
    chunks = _chunks(current_tenant_id(), export.id, names_of(export))
    name = f"{export.kind}-export-{export.created_at:%Y-%m-%d}.zip"
    return StreamingHttpResponse(
        chunks,
        content_type="application/zip",
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "X-Accel-Buffering": "no",
        },
    )


async def _chunks(tenant_id: UUID, export_id: UUID, names: Names) -> AsyncIterator[bytes]:
    stream = ZipStream()
    for number, name in names:
        data = await in_short_scope(tenant_id, partial(piece, export_id, number))
        yield await sync_to_async(stream.add)(name, data)
    yield stream.end()
