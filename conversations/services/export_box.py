"""The box that an export lies in: pieces sealed one by one, so that memory holds one of them."""

import secrets
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from conversations.models import ExportPart, ExportRequest
from tenants.crypto import decrypt, encrypt

# A piece is sealed and stored when it is about this large.
PIECE_BYTES = 1 << 20
_FIELD, _NONCE, _KEY_BYTES = "export.key", 12, 32


def new_key() -> bytes:
    """The sealed key of one export. Whoever deletes it has made every copy of the pieces noise."""
    return encrypt(b64encode(secrets.token_bytes(_KEY_BYTES)).decode(), field=_FIELD)


@dataclass
class _File:
    """The file that is being written."""

    name: str
    number: int  # of its next piece
    digest: Any = field(default_factory=sha256)
    waiting: bytearray = field(default_factory=bytearray)
    waiting_rows: int = 0


@dataclass(frozen=True, slots=True)
class Written:
    """One finished file, as the manifest names it."""

    name: str
    rows: int
    size: int
    sha256: str

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "rows": self.rows, "bytes": self.size, "sha256": self.sha256}


class Box:
    """Writes an export's files into its parts, in the open transaction."""

    def __init__(self, export: ExportRequest, *, first: int = 0) -> None:
        self.export = export
        self.written: list[Written] = []
        self._next = first
        self._aead = _aead_of(export)

    def write(self, name: str, pieces: Iterator[tuple[bytes, int]]) -> Written:
        """A whole file from pieces and the rows that each holds."""
        file, rows, size = _File(name, self._next), 0, 0
        for data, count in pieces:
            file.digest.update(data)
            file.waiting += data
            file.waiting_rows += count
            rows, size = rows + count, size + len(data)
            if len(file.waiting) >= PIECE_BYTES:
                self._store(file)
        written = Written(name, rows, size, file.digest.hexdigest())
        self._store(file, sha256=written.sha256)
        self._next = file.number
        self.written.append(written)
        return written

    def _store(self, file: _File, *, sha256: str = "") -> None:
        data = bytes(file.waiting)
        ExportPart.objects.create(
            export=self.export,
            number=file.number,
            name=file.name,
            rows=file.waiting_rows,
            size=len(data),
            sha256=sha256,
            sealed=_seal(self._aead, data, self.export, file.number),
        )
        file.number += 1
        file.waiting.clear()
        file.waiting_rows = 0


def open_part(export: ExportRequest, part: ExportPart) -> bytes:
    """What the piece says; raises when it was moved, changed or belongs to another export."""
    sealed = bytes(part.sealed)
    nonce, body = sealed[:_NONCE], sealed[_NONCE:]
    return zlib.decompress(_aead_of(export).decrypt(nonce, body, _place(export, part.number)))


def _seal(aead: AESGCM, data: bytes, export: ExportRequest, number: int) -> bytes:
    nonce = secrets.token_bytes(_NONCE)
    return nonce + aead.encrypt(nonce, zlib.compress(data, 6), _place(export, number))


def _aead_of(export: ExportRequest) -> AESGCM:
    return AESGCM(b64decode(decrypt(export.key_encrypted or b"", field=_FIELD)))


def _place(export: ExportRequest, number: int) -> bytes:
    """A piece opens at its own place only."""
    return export.id.bytes + number.to_bytes(4, "big")
