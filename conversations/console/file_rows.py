"""Files as the web admin shows them: under a message, and all of a talk in its details."""

from collections.abc import Sequence
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from conversations.file_links import link_to
from conversations.models import Attachment, Message
from conversations.selectors.lines import Line
from conversations.services.files import words_beside

Context = dict[str, Any]

_OFFICE = "application/vnd.openxmlformats-officedocument."
# How a type begins; its icon, and what people call it.
_KINDS: tuple[tuple[str, str, str | Promise], ...] = (
    ("image/", "picture", _("Picture")),
    ("application/pdf", "page", _("PDF")),
    (f"{_OFFICE}spreadsheetml", "table", _("Spreadsheet")),
    (f"{_OFFICE}presentationml", "slides", _("Slides")),
    ("text/", "page", _("Text")),
    ("", "page", _("Document")),
)


def tiles(files: Sequence[Attachment], line: Line) -> Context:
    """What `_files.html` names; `silent` when the words are the names of the files and no more."""
    if not files or not isinstance(line, Message):
        return {}
    shown = [tile(file) for file in files]
    pictures = [file for file in shown if file["preview_url"]]
    return {
        "files": shown,
        "many_pictures": len(pictures) > 1,
        "silent": line.text == words_beside(files),
    }


def tile(file: Attachment) -> Context:
    removed = file.is_removed
    icon, kind = next((icon, kind) for start, icon, kind in _KINDS if _is(file, start))
    return {
        "id": file.id,
        "name": file.shown_name,
        "icon": icon,
        "kind": kind,
        "size": file.size,
        "width": file.width,
        "height": file.height,
        "url": "" if removed else link_to(file, "full"),
        "preview_url": link_to(file, "preview") if file.is_image and not removed else "",
        "removed": removed,
    }


def _is(file: Attachment, start: str) -> bool:
    return file.media_type.startswith(start)


def listed(file: Attachment, customer_name: str) -> Context:
    """A row of the list in the details: also who sent it, and when."""
    by = file.member.name if file.member else customer_name
    return tile(file) | {"by": by, "at": file.created_at, "seq": file.seq}
