"""The scanner's eyes in the data folder: logs, queued mail, exports that wait, anything else.

The database's and Valkey's own files are not read: what they hold is read through their servers,
and their pages are given up within 35 days (vacuum, backups).
"""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from uuid import uuid4

from conversations.privacy.needles import Needles
from conversations.privacy.report import StoreScan

# The clusters, their sockets, and files that the desk serves and nobody writes.
NOT_READ = frozenset({"postgres", "valkey", "socket", "static"})
_PIECE = 1024 * 1024


def folder(
    name: str, root: Path | None, wanted: Needles, *, skip: frozenset[str] = NOT_READ
) -> StoreScan:
    """Every file below `root`, zip files one level deep; a file planted for the moment is found."""
    found = StoreScan(name, control=root is None)
    if root is None:
        return found
    planted = f"scan-control-{uuid4().hex}"
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    control = root / f"{planted}.log"
    control.write_text(f"a line before\nthe control {planted} of a scan\n")
    try:
        for path in _files(root, skip):
            found.read += 1
            known = Needles((planted,), ())
            if path == control:
                found.control = _holds(path, known)
            elif wanted.are_in(path.name) or _holds(path, wanted):
                found.hit(str(path.relative_to(root)))
    finally:
        control.unlink(missing_ok=True)
    return found


def _files(root: Path, skip: frozenset[str]) -> Iterator[Path]:
    for path in sorted(root.iterdir()):
        if path.is_symlink() or (path.is_dir() and path.name in skip):
            continue
        if path.is_dir():
            yield from _files(path, skip)
        elif path.is_file():
            yield path


def _holds(path: Path, wanted: Needles) -> bool:
    try:
        if zipfile.is_zipfile(path):
            return _zip_holds(path, wanted)
        with path.open("rb") as file:
            return _stream_holds(file, wanted)
    except FileNotFoundError:
        return False  # ended while we looked: what is gone holds nothing


def _zip_holds(path: Path, wanted: Needles) -> bool:
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            if wanted.are_in(entry.filename):
                return True
            with archive.open(entry) as file:
                if _stream_holds(file, wanted):
                    return True
    return False


def _stream_holds(file: IO[bytes], wanted: Needles) -> bool:
    """Piece by piece, each with the end of the one before: a word may lie across the cut."""
    longest = max(map(len, (*wanted.folded, *wanted.exact)), default=0)
    before = ""
    while piece := file.read(_PIECE):
        text = before + piece.decode("utf-8", errors="replace")
        if wanted.are_in(text):
            return True
        before = text[-longest:] if longest else ""
    return False
