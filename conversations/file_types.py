"""What a file is, by its content alone, and under which name it may be kept. Pure.

Neither the sender's type nor the name is believed: both are the sender's to choose.
"""

import re
import unicodedata
import zlib
from io import BytesIO
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from tenants.errors import DeskError

LONGEST_NAME = 200
MOST_ENTRIES, MOST_UNPACKED, HIGHEST_RATIO = 2_000, 100 * 1024 * 1024, 100
ACCEPTED = "PNG, JPEG, GIF or WebP pictures, PDF, text, Word, Excel and PowerPoint files"


class FileRefused(DeskError):
    """Not one of the few kinds of files that are kept here."""

    code = "unsupported_file"
    status = 415
    title = "This kind of file cannot be sent"
    detail = f"Send {ACCEPTED}."


class FileType(NamedTuple):
    """A kind of file. The first ending is given to names that have none of them."""

    media_type: str
    title: str
    endings: tuple[str, ...]
    # Pillow's name of a picture's format; empty for what is no picture.
    picture: str = ""


PNG = FileType("image/png", "PNG picture", (".png",), "PNG")
JPEG = FileType("image/jpeg", "JPEG picture", (".jpg", ".jpeg"), "JPEG")
GIF = FileType("image/gif", "GIF picture", (".gif",), "GIF")
WEBP = FileType("image/webp", "WebP picture", (".webp",), "WEBP")
PDF = FileType("application/pdf", "PDF", (".pdf",))
TEXT = FileType("text/plain", "text", (".txt", ".csv", ".md", ".log"))
_OFFICE = "application/vnd.openxmlformats-officedocument."
DOCX = FileType(f"{_OFFICE}wordprocessingml.document", "Word document", (".docx",))
XLSX = FileType(f"{_OFFICE}spreadsheetml.sheet", "Excel sheet", (".xlsx",))
PPTX = FileType(f"{_OFFICE}presentationml.presentation", "PowerPoint slides", (".pptx",))
TYPES = (PNG, JPEG, GIF, WEBP, PDF, TEXT, DOCX, XLSX, PPTX)
PICTURES = frozenset(kind.media_type for kind in TYPES if kind.picture)

_SIGNATURES = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), PNG),
    (re.compile(rb"\xff\xd8\xff"), JPEG),
    (re.compile(rb"GIF8[79]a"), GIF),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), WEBP),
    (re.compile(rb"%PDF-\d"), PDF),
)
_ZIP = b"PK\x03\x04"
_MAIN_PARTS = (("word/document.xml", DOCX), ("xl/workbook.xml", XLSX),
               ("ppt/presentation.xml", PPTX))  # fmt: skip
# What a browser would take for a page or a drawing with scripts, wherever it were opened.
_MARKUP = re.compile(
    r"\s*<(?:!--|(?:!doctype|\?xml|html|head|body|script|style|svg|iframe|object|embed|meta|link"
    r"|title|img|math)\b)",
    re.IGNORECASE,
)


def type_of(content: bytes) -> FileType:
    """The kind of a file; raises `FileRefused` for every other kind, and for dangerous ones."""
    for signature, kind in _SIGNATURES:
        if signature.match(content):
            return kind
    if content.startswith(_ZIP):
        return _office_type(content)
    if _is_text(content):
        return TEXT
    raise FileRefused


_TITLES = {kind.media_type: kind.title for kind in TYPES}


def kind_of(media_type: str) -> str:
    """What people call a kind of file, in English."""
    return _TITLES.get(media_type, media_type)


def clean_name(name: str, kind: FileType) -> str:
    """The last part of a path, without anything invisible that misleads, ending as the content is.

    An ending of another kind of ours is exchanged; every other one stays and gets company.
    """
    last = re.split(r"[/\\]", name)[-1]
    stem = "".join(char for char in last if not _misleads(char)).rstrip(" .")
    for ending in (ending for each in TYPES for ending in each.endings):
        if stem.lower().endswith(ending):
            own = stem[-len(ending) :].lower() in kind.endings
            ending_kept = stem[-len(ending) :] if own else kind.endings[0]
            return _shortened(stem[: -len(ending)], ending_kept)
    return _shortened(stem, kind.endings[0])


def _shortened(stem: str, ending: str) -> str:
    return (stem[: LONGEST_NAME - len(ending)].strip(" .") or "file") + ending


_DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _misleads(char: str) -> bool:
    return char in _DIRECTIONS or unicodedata.category(char) in {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}


def _is_text(content: bytes) -> bool:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False
    return "\0" not in text and not _MARKUP.match(text)


def _office_type(content: bytes) -> FileType:
    try:
        with ZipFile(BytesIO(content)) as archive:
            entries = archive.infolist()
    except (BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise FileRefused from error
    names = {entry.filename for entry in entries}
    kinds = [kind for part, kind in _MAIN_PARTS if part in names]
    if "[Content_Types].xml" not in names or len(kinds) != 1:
        raise FileRefused
    if any(name.lower().endswith("vbaproject.bin") for name in names):
        raise FileRefused("Documents with macros cannot be sent. Save it without them.")
    _refuse_bomb(content, entries)
    return kinds[0]


def _refuse_bomb(content: bytes, entries: list[ZipInfo]) -> None:
    """Counts what really comes out: the sizes that an archive states are its maker's words."""
    limit = min(MOST_UNPACKED, HIGHEST_RATIO * len(content))
    unpacked = sum(entry.file_size for entry in entries)
    if len(entries) > MOST_ENTRIES or unpacked > limit:
        raise FileRefused("This document unpacks to far more than it is. Save it anew.")
    unpacked = 0
    for entry in entries:
        unpacked += _unpacked(content, entry, limit - unpacked)
        if unpacked > limit:
            raise FileRefused("This document unpacks to far more than it is. Save it anew.")


def _unpacked(content: bytes, entry: ZipInfo, limit: int) -> int:
    """How many bytes an entry holds; stops just above the limit."""
    # The local header: 30 bytes, the last four of which say how long name and extra field are.
    header = entry.header_offset
    lengths = content[header + 26 : header + 30]
    start = header + 30 + int.from_bytes(lengths[:2], "little")
    start += int.from_bytes(lengths[2:], "little")
    packed = memoryview(content)[start : start + entry.compress_size]
    if entry.compress_type == ZIP_STORED:
        return len(packed)
    if entry.compress_type != ZIP_DEFLATED or entry.flag_bits & 1:
        raise FileRefused
    return _inflated(packed, limit)


def _inflated(packed: memoryview, limit: int) -> int:
    stream, size, left = zlib.decompressobj(-zlib.MAX_WBITS), 0, bytes(packed)
    try:
        while left and not stream.eof and size <= limit:
            size += len(stream.decompress(left, 1024 * 1024))
            left = stream.unconsumed_tail
    except zlib.error as error:
        raise FileRefused("This document is damaged. Save it anew and send it again.") from error
    return size
