"""What the agent is told of the files in a talk: that they are there, never what is in them."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Exists, OuterRef

from agents.runtime.tools.search_knowledge import one_line
from conversations.file_types import kind_of
from conversations.models import Attachment, Conversation, Message, MessageRole

MOST_FILES, WORDS = 20, 80
_HEAD = (
    "Files that were sent in this conversation, the newest last. You cannot open them and do not"
    " know what is in them. When an answer depends on that, say so and hand over with"
    " ask_for_person, if you have that tool; else say that a person can be asked for here."
)


def has_files() -> Exists:
    """For a query of talks: whether any file was sent in it.

    Asked along with the talk itself, a talk without files costs no statement for them.
    """
    return Exists(Attachment.objects.filter(conversation=OuterRef("pk")))


def told_of_files(
    talk: Conversation, refs: Mapping[str, Any] | None, *, after_seq: int = 0
) -> tuple[list[str], dict[str, Any]]:
    """A line for each of the newest files after a line of the talk, and which files these are."""
    rows = Attachment.objects.filter(conversation=talk, seq__gt=after_seq)
    if refs is not None:
        rows = rows.filter(pk__in=refs["files"])
    files = list(rows.order_by("-seq", "-id")[:MOST_FILES])[::-1]
    if not files:
        return [], {}
    said = Message.objects.filter(conversation=talk, seq__in={file.seq for file in files})
    beside = {message.seq: message for message in said}
    lines = [_line(file, beside.get(file.seq or 0)) for file in files]
    return [_HEAD, *lines], {"files": [str(file.id) for file in files]}


def _line(file: Attachment, message: Message | None) -> str:
    """Who sent it and with which words, what it is, and the name that the sender chose."""
    who = "the customer"
    if message is not None and message.role == MessageRole.MEMBER:
        who = f"{message.author_name}, support"
    words = one_line(message.text)[:WORDS] if message is not None else ""
    if file.redacted_at is not None:
        return one_line(f'{who}, with "{words}": a file that was taken out since')
    size = f"{file.width} × {file.height} pixels, " if file.is_image else ""
    what = f'"{file.name}", {kind_of(file.media_type)}, {size}{_size(file.size)}'
    return one_line(f'{who}, with "{words}": {what}')


def _size(number: int) -> str:
    return f"{number / 1024 / 1024:.1f} MB" if number >= 1024 * 1024 else f"{-(-number // 1024)} KB"
