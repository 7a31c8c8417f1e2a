"""The part of a round that takes files out of messages that stay."""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from django.db.models.functions import Now

from conversations.models import Attachment
from conversations.services.file_removal import take_out
from conversations.services.retention_weighing import without_waiting

# A file may have ten megabytes.
_FILES = 200


def take_files(talks: Sequence[UUID]) -> Counter[UUID | None]:
    """The next ones that have ended in these locked talks, by policy."""
    ended = Attachment.stored.filter(conversation__in=talks, expires_at__lte=Now())
    files = list(without_waiting(ended).order_by("pk")[:_FILES])
    take_out(files)
    return Counter(file.expires_by for file in files)
