"""Files that are made or read while they are sent; no scope is held between two pieces.

A file beside a message has a gate of its own: its link names the tenant and proves itself.
"""

from collections.abc import AsyncIterator
from functools import partial
from typing import NamedTuple
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import close_old_connections
from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from conversations.access import sent_file
from conversations.file_links import FileLink, read_link
from conversations.file_types import PICTURES
from conversations.models import ExportRequest
from conversations.selectors.files import length_of, piece_of
from conversations.services.export_zip import Names, ZipStream, names_of, piece
from conversations.streams import in_short_scope, release_request_thread
from tenants.errors import NotFound
from tenants.scoping import current_tenant_id, tenant_scope

_COLUMNS = {"full": "content", "preview": "preview"}
# Whatever it is, it runs nothing, loads nothing and is shown in no page of another website. The
# styles are the browser's own, which puts a picture that is opened alone into the middle.
_HARMLESS = {
    "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, max-age=3600",
    "X-Accel-Buffering": "no",
}


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


class _Sent(NamedTuple):
    """What is sent, as it stands at the moment of asking."""

    name: str
    media_type: str
    length: int


@require_safe
def file(request: HttpRequest, signed: str, name: str) -> StreamingHttpResponse:
    """The file that a link names. Every reason not to give it gives the same 404."""
    link = read_link(signed)
    if link is None:
        raise Http404
    try:
        with tenant_scope(link.tenant_id):
            sent = _sent(link)
    except NotFound:
        raise Http404 from None
    return StreamingHttpResponse(
        _pieces(link, sent.length),
        content_type=sent.media_type,
        headers=_HARMLESS
        | {
            "Content-Disposition": _disposition(sent),
            "Content-Length": str(sent.length),
        },
    )


def _sent(link: FileLink) -> _Sent:
    found = sent_file(link.attachment_id)
    length = length_of(found, _COLUMNS[link.variant])
    if length is None:
        raise NotFound
    if link.variant == "preview":
        return _Sent(f"{found.name}.webp", "image/webp", length)
    return _Sent(found.name, found.media_type, length)


def _disposition(sent: _Sent) -> str:
    """Only pictures, which were made here, are shown; all else is put down as a file."""
    inline = sent.media_type in PICTURES
    return content_disposition_header(not inline, sent.name) or "attachment"


async def _pieces(link: FileLink, length: int) -> AsyncIterator[bytes]:
    """In short scopes, so that a slow reader holds nothing; breaks off when it is deleted."""
    # Before its thread ends: after that nothing would give its connection back to the pool.
    await sync_to_async(close_old_connections)()
    release_request_thread()
    start = 0
    while start < length:
        read = partial(piece_of, link.attachment_id, _COLUMNS[link.variant], start)
        piece = await in_short_scope(link.tenant_id, read)
        if not piece:
            raise ConnectionAbortedError("The file was deleted while it was sent.")
        yield piece
        start += len(piece)
