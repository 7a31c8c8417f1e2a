"""Files beside messages: those of a page, and the bytes of one, piece by piece."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Sum
from django.db.models.functions import Length, Now

from conversations.models import Attachment, AttachmentBody, Customer, Message, MessageRole
from conversations.selectors.lines import Line
from tenants.scoping import current_tenant_id

PIECE = 256 * 1024
_DAY = timedelta(days=1)
_BRINGERS = (MessageRole.CUSTOMER, MessageRole.MEMBER)

# By the numbers of lines of one talk.
Files = Mapping[int, Sequence[Attachment]]


def files_of(conversation_id: UUID, seqs: Collection[int]) -> dict[int, list[Attachment]]:
    """The files of these lines by their numbers, in the order in which they were brought.

    One statement a page, none without lines. Those that retention has hidden are among them, so
    that their place says so: they show no name and open nowhere.
    """
    found: dict[int, list[Attachment]] = defaultdict(list)
    if seqs:
        rows = Attachment.stored.filter(conversation=conversation_id, seq__in=seqs)
        for row in rows.order_by("seq", "id"):
            found[row.line[1]].append(row)
    return dict(found)


def message_of(file: Attachment) -> Message:
    """The message that a sent file belongs to."""
    conversation_id, seq = file.line
    return Message.objects.get(conversation=conversation_id, seq=seq)


def files_beside(lines: Iterable[Line]) -> Files:
    """The same for a page of one talk; no statement for a page that none of its people wrote on."""
    said = [row for row in lines if isinstance(row, Message) and row.role in _BRINGERS]
    return files_of(said[0].conversation_id, [row.seq for row in said]) if said else {}


def brought_in_a_day(customer: Customer) -> int:
    """How many bytes of this customer's files of the last 24 hours are kept."""
    rows = Attachment.stored.filter(customer=customer, created_at__gt=Now() - _DAY)
    return rows.aggregate(sum=Sum("size"))["sum"] or 0


def length_of(file: Attachment, column: str) -> int | None:
    """How many bytes are to be sent; None when there are none any more."""
    rows = AttachmentBody.objects.filter(attachment=file)
    length: int | None = rows.values_list(Length(column), flat=True).first()
    return length


# Stored unpacked, so that only the pages of this piece are read.
_PIECE = """
SELECT substring({column} FROM %s FOR %s) FROM conversations_attachmentbody
WHERE tenant_id = %s AND attachment_id = %s
"""


def piece_of(attachment_id: UUID, column: str, start: int) -> bytes:
    """Up to 256 KB of a file; nothing when it was deleted meanwhile."""
    with connection.cursor() as cursor:
        values: list[Any] = [start + 1, PIECE, current_tenant_id(), attachment_id]
        cursor.execute(_PIECE.format(column=connection.ops.quote_name(column)), values)
        found = cursor.fetchone()
    return bytes(found[0]) if found and found[0] is not None else b""
