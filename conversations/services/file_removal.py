"""Taking files out for good: bytes, small pictures, names. That there was a file stays."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models.functions import Now

from conversations import transcript
from conversations.models import (
    REMOVED_NAME,
    Attachment,
    AttachmentBody,
    Conversation,
    Message,
    MessageEdit,
)


def take_out(files: Sequence[Attachment]) -> None:
    """In the caller's transaction, under the locks of their conversations.

    A message of files without words says their names: it says the new ones from now on.
    """
    ids = [file.pk for file in files]
    for conversation_id, seq in {(file.conversation_id, file.seq) for file in files}:
        if conversation_id is not None and seq is not None:
            _rename(conversation_id, seq, set(ids))
    AttachmentBody.objects.filter(attachment__in=ids).delete()
    Attachment.stored.filter(pk__in=ids).update(
        name=REMOVED_NAME, sha256="", redacted_at=Now(), expires_at=None, expires_by=None
    )


def _rename(conversation_id: UUID, seq: int, going: set[UUID]) -> None:
    line = Attachment.stored.filter(conversation=conversation_id, seq=seq).order_by("id")
    names = list(line.values_list("pk", "name"))
    before = ", ".join(name for _, name in names)
    after = ", ".join(REMOVED_NAME if pk in going else name for pk, name in names)
    for model in (Message, MessageEdit):
        said = model.objects.filter(conversation=conversation_id, seq=seq, text=before)
        said.update(text=after)
    shown = Conversation.stored.filter(
        pk=conversation_id, last_message_preview=transcript.preview(before)
    )
    shown.update(last_message_preview=transcript.preview(after))
