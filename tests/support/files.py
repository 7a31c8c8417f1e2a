"""Files of a conversation as rows, for tests of what happens to them afterwards."""

from hashlib import sha256
from typing import Any

from django.db import connection

from conversations.models import Attachment, AttachmentBody, Conversation, Message

WORDS = b"The words of a file."
PICTURE = b"RIFF....WEBP small picture"


def attach(
    talk: Conversation,
    seq: int | None = None,
    *,
    name: str = "receipt.txt",
    content: bytes = WORDS,
    preview: bytes | None = None,
    **fields: Any,
) -> Attachment:
    """A file beside this line of the talk, or beside the last one; the customer's own."""
    if not {"customer", "customer_id"} & fields.keys():
        fields["customer_id"] = talk.customer_id
    last = Message.objects.filter(conversation=talk).order_by("-seq").values_list("seq", flat=True)
    return _made(name, content, preview, conversation=talk, seq=seq or last[0], **fields)


def staged(
    name: str = "unsent.txt", content: bytes = WORDS, preview: bytes | None = None, **bringer: Any
) -> Attachment:
    """A file that was brought and not sent."""
    return _made(name, content, preview, **bringer)


def _made(name: str, content: bytes, preview: bytes | None, **fields: Any) -> Attachment:
    file = Attachment.objects.create(
        name=name,
        media_type="image/png" if preview else "text/plain",
        size=len(content),
        sha256=sha256(content).hexdigest(),
        width=100 if preview else None,
        height=100 if preview else None,
        **fields,
    )
    AttachmentBody.objects.create(attachment=file, content=content, preview=preview)
    return file


def bytes_left() -> int:
    """Rows of bytes in the open scope."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM conversations_attachmentbody")
        return int(cursor.fetchone()[0])
