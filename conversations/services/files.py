"""Files that people send: brought one by one, sent along with a message, thrown away unsent."""

import hashlib
from collections.abc import Collection, Sequence
from typing import NamedTuple
from uuid import UUID

from django.db import transaction

from conversations import pictures
from conversations.access import NoSuchFile, unsent_files
from conversations.file_types import clean_name, type_of
from conversations.models import Attachment, AttachmentBody, Conversation, Customer
from conversations.selectors.files import brought_in_a_day
from tenants import due
from tenants.errors import InvalidInput, TooLarge, TooManyRequests
from tenants.models import DueWork, Member
from tenants.scoping import current_tenant_id

STAGED = due.kind("staged_file", queue="bulk")
STAGED_SECONDS = 24 * 3600
LARGEST = 10 * 1024 * 1024
DAILY = 100 * 1024 * 1024
MOST = 5

Bringer = Customer | Member


class Ready(NamedTuple):
    """A file as it would be kept: looked through, and pictures made anew."""

    name: str
    media_type: str
    content: bytes
    picture: pictures.Picture | None


def made_ready(name: str, content: bytes) -> Ready:
    """The file, or a refusal that says why. Takes its time and no row: call it outside a scope."""
    if not content:
        raise InvalidInput(
            "The file is empty. Choose another one.", errors={"file": ["It is empty."]}
        )
    if len(content) > LARGEST:
        raise too_large()
    kind = type_of(content)
    picture = pictures.remade(content, kind.picture) if kind.picture else None
    kept = picture.content if picture else content
    if len(kept) > 2 * LARGEST:
        raise TooLarge("This picture is too large. Make it smaller and send it.")
    return Ready(clean_name(name, kind), kind.media_type, kept, picture)


def bring(*, by: Bringer, name: str, content: bytes) -> Attachment:
    """A file that waits to be sent by who brought it, for 24 hours."""
    return keep(made_ready(name, content), by=by)


@transaction.atomic
def keep(ready: Ready, *, by: Bringer) -> Attachment:
    """The same for a file that was made ready."""
    size = len(ready.content)
    if isinstance(by, Customer):
        # The lock: two uploads at once count each other.
        Customer.objects.select_for_update(no_key=True).get(pk=by.pk)
        if brought_in_a_day(by) + size > DAILY:
            raise TooManyRequests(
                "That is more than 100 MB in a day. Send the rest tomorrow.",
                extra={"retry_after": 3600},
            )
    file = Attachment.objects.create(
        customer=by if isinstance(by, Customer) else None,
        member=by if isinstance(by, Member) else None,
        name=ready.name,
        media_type=ready.media_type,
        size=size,
        sha256=hashlib.sha256(ready.content).hexdigest(),
        width=ready.picture.width if ready.picture else None,
        height=ready.picture.height if ready.picture else None,
    )
    preview = ready.picture.preview if ready.picture else None
    AttachmentBody.objects.create(attachment=file, content=ready.content, preview=preview)
    due.schedule(STAGED, file.id, after=STAGED_SECONDS)
    return file


def send_along(row: Conversation, seq: int, ids: Collection[UUID], *, by: Bringer) -> None:
    """These files belong to that line from now on; in the post's transaction, under its lock.

    A file goes with one message only: whoever comes second is told that it is not there.
    """
    sent = unsent_files(by).filter(pk__in=ids).update(conversation=row, seq=seq)
    if sent != len(set(ids)):
        raise NoSuchFile.named(ids)
    _cancel(ids)


@transaction.atomic
def throw_away(file: Attachment) -> None:
    """A file that its bringer does not send after all."""
    _delete_staged([file.pk])
    _cancel([file.pk])


def expire(attachment_id: UUID) -> None:
    """The end of a file that nobody sent; a sent one stays. Idempotent."""
    _delete_staged([attachment_id])


def too_large() -> TooLarge:
    return TooLarge("This file is larger than 10 MB. Send a smaller one.")


def words_beside(files: Sequence[Attachment]) -> str:
    """What a message says that has files and no words: previews, search and models need some."""
    return ", ".join(file.name for file in files)


def check_number(ids: Collection[UUID]) -> None:
    if len(ids) > MOST:
        raise InvalidInput(
            f"A message takes {MOST} files at most. Send the rest with the next one.",
            errors={"attachments": [f"{MOST} at most"]},
        )


def _delete_staged(ids: Collection[UUID]) -> None:
    Attachment.stored.filter(pk__in=ids, conversation__isnull=True).delete()


def _cancel(ids: Collection[UUID]) -> None:
    DueWork.objects.filter(tenant_id=current_tenant_id(), kind=STAGED, ref_id__in=ids).delete()
