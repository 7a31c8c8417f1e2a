"""Files as people send them, honest ones and others, made on the spot."""

import io
import struct
import zipfile
import zlib
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image

MAIN = {"docx": "word/document.xml", "xlsx": "xl/workbook.xml", "pptx": "ppt/presentation.xml"}
PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n"


def picture(kind: str = "PNG", size: tuple[int, int] = (8, 6), **options: Any) -> bytes:
    into = io.BytesIO()
    Image.new("RGB", size, (200, 60, 20)).save(into, kind, **options)
    return into.getvalue()


def moving(kind: str = "GIF", frames: int = 3) -> bytes:
    shades = [Image.new("RGB", (20, 10), (60 * n % 256, n % 256, 0)) for n in range(frames)]
    into = io.BytesIO()
    shades[0].save(
        into, kind, save_all=True, append_images=shades[1:], duration=40, comment=b"canary"
    )
    return into.getvalue()


def png_that_says(width: int, height: int) -> bytes:
    """The head of a picture of that size; there are hardly any pixels in it."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n"
        + head
        + chunk(b"IDAT", zlib.compress(b"\0" * 99))
        + chunk(b"IEND", b"")
    )


def office(kind: str = "docx", /, **parts: bytes) -> bytes:
    """A document with these further parts, named with underscores for dots."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(MAIN[kind], "<x/>")
        for name, data in parts.items():
            archive.writestr(name.replace("_", "."), data)
    return into.getvalue()


def sent_as(content: bytes, name: str = "photo.png", said: str = "text/html") -> SimpleUploadedFile:
    """For a multipart body; what the sender says of it is wrong unless told otherwise."""
    return SimpleUploadedFile(name, content, content_type=said)
