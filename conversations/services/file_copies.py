"""Files of lines that are copied: copies of their own, so that each goes with its own talk."""

from collections.abc import Collection

from django.db import connection

from conversations.models import Attachment, Conversation
from tenants.scoping import current_tenant_id, new_id

_COPIED = (
    "seq", "customer_id", "member_id", "name", "media_type", "size", "sha256", "width", "height",
    "redacted_at", "created_at", "expires_at", "expires_by",
)  # fmt: skip
# In the database, whatever their size.
_BYTES = """
INSERT INTO conversations_attachmentbody (id, tenant_id, attachment_id, content, preview)
SELECT gen_random_uuid(), tenant_id, made, content, preview
FROM conversations_attachmentbody
JOIN unnest(%(old)s::uuid[], %(new)s::uuid[]) AS copy(of, made) ON of = attachment_id
WHERE tenant_id = %(tenant)s
"""


def copy_files(source: Conversation, seqs: Collection[int], *, to: Conversation) -> None:
    """In the caller's transaction, under the source's lock. What is hidden there is hidden here."""
    files = list(Attachment.stored.filter(conversation=source, seq__in=seqs).order_by("id"))
    if not files:
        return
    # In the same order, which the ids decide.
    ids = sorted(new_id() for _ in files)
    Attachment.objects.bulk_create(
        Attachment(id=pk, conversation=to, **{name: getattr(file, name) for name in _COPIED})
        for pk, file in zip(ids, files, strict=True)
    )
    with connection.cursor() as cursor:
        old = [file.pk for file in files]
        cursor.execute(_BYTES, {"old": old, "new": ids, "tenant": current_tenant_id()})
