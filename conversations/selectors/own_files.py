"""The files of an export: which there are, where each lies in it, and its bytes piece by piece."""

import re
from collections.abc import Iterator
from typing import Any

from django.db.models import Q, QuerySet

from conversations.hooks import Rows
from conversations.models import Attachment
from conversations.selectors.export_subject import Subject
from conversations.selectors.files import piece_of

FOLDER, PICTURES = "files", "previews"
_BATCH = 1000
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,5}$")


def path_of(file: Attachment) -> str:
    """By its id, with its own ending: a path that any system takes, and that names nobody.

    The names stand in the list and on the page, which are sealed like everything else; the paths
    of an export are not.
    """
    ending = _ENDING.search(file.name)
    return f"{FOLDER}/{file.id}{ending[0].lower() if ending else ''}"


def preview_path_of(file: Attachment) -> str:
    return f"{PICTURES}/{file.id}.webp"


def pieces_of(file: Attachment, column: str = "content") -> Iterator[tuple[bytes, int]]:
    """As a box writes them: some bytes, and no rows."""
    start = 0
    while piece := piece_of(file.id, column, start):
        yield piece, 0
        start += len(piece)


def own_files(subject: Subject) -> QuerySet[Attachment]:
    """Those of the subject's conversations, and what the subject has not sent yet."""
    sent = Q(conversation__in=subject.talks)
    unsent = Q(conversation__isnull=True, customer=subject.customer)
    return Attachment.stored.filter(sent | unsent).order_by("id")


def is_given(file: Attachment, subject: Subject) -> bool:
    """Whether its bytes go along: it is still there, and not another customer's."""
    return not file.is_removed and not _is_foreign(file, subject)


def attachments(subject: Subject) -> Rows:
    """What the export says of each file."""
    for file in own_files(subject).iterator(_BATCH):
        given = is_given(file, subject)
        yield {
            "id": file.id,
            "conversation": file.conversation_id,
            "seq": file.seq,
            "created_at": file.created_at,
            "by": _bringer(file, subject),
            "name": None if _is_foreign(file, subject) else file.shown_name,
            "media_type": file.media_type,
            "size": file.size,
            "sha256": file.sha256 if given else None,
            "path": path_of(file) if given else None,
            "removed": file.is_removed,
        }


def _bringer(file: Attachment, subject: Subject) -> Any:
    """Empty for the subject, and for another customer."""
    return subject.masks.member(file.member_id) if file.member_id else ""


def _is_foreign(file: Attachment, subject: Subject) -> bool:
    return file.customer_id not in (None, subject.customer.id)
