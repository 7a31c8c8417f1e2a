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
from conversations.services.files import words_beside


def take_out(files: Sequence[Attachment]) -> None:
    """In the caller's transaction, under the locks of their conversations.

    A message of files without words says their names: it says the new ones from now on.
    """
    ids = [file.pk for file in files]
    for conversation_id, seq in {file.line for file in files}:
        _rename(conversation_id, seq, set(ids))
    AttachmentBody.objects.filter(attachment__in=ids).delete()
    Attachment.stored.filter(pk__in=ids).update(
        name=REMOVED_NAME, sha256="", redacted_at=Now(), expires_at=None, expires_by=None
    )


def _rename(conversation_id: UUID, seq: int, going: set[UUID]) -> None:
    line = list(Attachment.stored.filter(conversation=conversation_id, seq=seq).order_by("id"))
    before = words_beside(line)
    for file in line:
        file.name = REMOVED_NAME if file.pk in going else file.name
    after = words_beside(line)
    for model in (Message, MessageEdit):
        said = model.objects.filter(conversation=conversation_id, seq=seq, text=before)
        said.update(text=after)
    shown = Conversation.stored.filter(
        pk=conversation_id, last_message_preview=transcript.preview(before)
    )
    shown.update(last_message_preview=transcript.preview(after))
