"""An export on its way out: a zip that is made while it is sent, a piece in memory at a time."""

import zipfile
from typing import IO
from uuid import UUID

from conversations.models import ExportPart, ExportRequest
from conversations.services.export_box import open_part
from tenants.errors import NotFound

Names = list[tuple[int, str]]


def names_of(export: ExportRequest) -> Names:
    """The pieces in order, each with the file that it belongs to."""
    parts = ExportPart.objects.filter(export=export).order_by("number")
    return list(parts.values_list("number", "name"))


def piece(export_id: UUID, number: int) -> bytes:
    """One piece, as long as the export lives."""
    part = ExportPart.objects.filter(export=export_id, number=number).first()
    export = ExportRequest.objects.filter(pk=export_id).first()
    if part is None or export is None or export.key_encrypted is None:
        raise NotFound
    return open_part(export, part)


class _Pipe:
    """What the zip has written and nobody has taken; it cannot be sought, so the zip streams."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def write(self, data: bytes) -> int:
        self._waiting += data
        return len(data)

    def flush(self) -> None:
        """Nothing to do: `taken` takes all there is."""

    def taken(self) -> bytes:
        data = bytes(self._waiting)
        self._waiting.clear()
        return data


class ZipStream:
    """The bytes of a zip, file after file. Without `end` no program takes it for a whole zip."""

    def __init__(self) -> None:
        self._pipe = _Pipe()
        self._zip = zipfile.ZipFile(self._pipe, "w", zipfile.ZIP_DEFLATED)  # type: ignore[call-overload]
        self._name = ""
        self._file: IO[bytes] | None = None

    def add(self, name: str, data: bytes) -> bytes:
        """One more piece; pieces of one name in a row are one file."""
        if self._file is None or name != self._name:
            self._close_file()
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            self._file = self._zip.open(info, "w", force_zip64=True)
            self._name = name
        self._file.write(data)
        return self._pipe.taken()

    def end(self) -> bytes:
        """The directory of the zip."""
        self._close_file()
        self._zip.close()
        return self._pipe.taken()

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
