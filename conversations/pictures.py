"""Pictures are made anew from their pixels: what else a file carried does not come along. Pure.

A picture's place, camera and hidden text are gone, as is whatever was glued to its end.
"""

import warnings
from io import BytesIO
from threading import Lock
from typing import Any, NamedTuple

from PIL import Image, ImageOps, JpegImagePlugin

from conversations.file_types import FileRefused
from tenants.errors import TooLarge

MOST_PIXELS = 40_000_000
MOST_FRAMES = 300
PREVIEW_SIDE = 480
# Pixels take up to four bytes, twice while they are turned: one picture at a time in a process.
_ONE_AT_A_TIME = Lock()
# Sideways or mirrored, as cameras say in the metadata that goes.
_ORIENTATION = 0x0112


class Picture(NamedTuple):
    """A picture as it is kept, and its small one."""

    content: bytes
    preview: bytes
    width: int
    height: int


def remade(content: bytes, format_name: str) -> Picture:
    """The picture without metadata, upright; raises `FileRefused` or `TooLarge`.

    The pixels are counted before any of them is unpacked. Moving pictures keep moving; all their
    frames together count.
    """
    with _ONE_AT_A_TIME:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", Image.DecompressionBombWarning)
                return _remade(content, format_name)
        except TooLarge:
            raise
        except Image.DecompressionBombError as error:
            raise _too_many_pixels() from error
        except Exception as error:  # Whatever a decoder meets in a stranger's bytes is their fault.
            raise FileRefused("This picture is damaged. Save it anew and send it again.") from error


def _remade(content: bytes, format_name: str) -> Picture:
    with Image.open(BytesIO(content), formats=[format_name]) as image:
        if image.width * image.height > MOST_PIXELS:
            raise _too_many_pixels()
        # A telephone's JPEG may hold a second picture for bright screens; the first one is meant.
        if format_name != "JPEG" and getattr(image, "is_animated", False):
            return _remade_frames(image, format_name)
        options = _options(image, format_name)
        image.load()
        upright = _bare(_upright(image))
        return Picture(
            _saved(upright, format_name, **options),
            _preview(upright),
            upright.width,
            upright.height,
        )


def _remade_frames(image: Image.Image, format_name: str) -> Picture:
    """With the durations of all frames; the small picture is the first one."""
    most = min(MOST_FRAMES, MOST_PIXELS // (image.width * image.height))
    frames: list[Image.Image] = []
    durations: list[int] = []
    while _seek(image, len(frames)):
        if len(frames) == most:
            raise TooLarge(
                "This moving picture is too long. Send a shorter or smaller one, or a still one."
            )
        frames.append(_bare(image.convert("RGBA")))
        durations.append(int(image.info.get("duration", 100)))
    content = _saved(
        frames[0],
        format_name,
        save_all=True,
        append_images=frames[1:],
        duration=durations,
        loop=int(image.info.get("loop", 1) or 0),
    )
    return Picture(content, _preview(frames[0]), image.width, image.height)


def _seek(image: Image.Image, number: int) -> bool:
    try:
        image.seek(number)
    except EOFError:
        return False
    return True


def _upright(image: Image.Image) -> Image.Image:
    return ImageOps.exif_transpose(image) if image.getexif().get(_ORIENTATION) else image


def _bare(image: Image.Image) -> Image.Image:
    """Only its pixels and their palette; in place, for a copy of them may be 160 MB."""
    image.info = {key: image.info[key] for key in ("transparency",) if key in image.info}
    image.getexif().clear()
    return image


def _options(image: Image.Image, format_name: str) -> dict[str, Any]:
    """A photograph is written with its own tables: no larger and hardly worse than it came."""
    if format_name == "WEBP":
        return {"quality": 90}
    if not isinstance(image, JpegImagePlugin.JpegImageFile) or image.mode not in {"RGB", "L"}:
        return {"quality": 90} if format_name == "JPEG" else {}
    sampling = JpegImagePlugin.get_sampling(image)
    return {"qtables": image.quantization, **({"subsampling": sampling} if sampling >= 0 else {})}


def _saved(image: Image.Image, format_name: str, **options: Any) -> bytes:
    if format_name == "JPEG" and image.mode not in {"RGB", "L"}:
        image = image.convert("RGB")
    into = BytesIO()
    image.save(into, format_name, **options)
    return into.getvalue()


def _preview(image: Image.Image) -> bytes:
    if image.mode not in {"RGB", "RGBA", "L"} or "transparency" in image.info:
        image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    scale = min(1.0, PREVIEW_SIDE / max(image.size))
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    small = image.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)
    return _saved(small, "WEBP", quality=80)


def _too_many_pixels() -> TooLarge:
    return TooLarge("This picture has more than 40 million pixels. Make it smaller and send it.")
