"""The bytes of files as they arrive with a tenant's export, each a transaction of its own."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID
from zipfile import ZipFile

from django.db import transaction
from django.db.models import Exists, OuterRef

from conversations.models import Attachment, AttachmentBody
from conversations.selectors.own_files import FOLDER, preview_path_of
from conversations.services.file_removal import take_out
from tenants.portable import Ids

_BATCH = 500


def take_in(
    archive: ZipFile,
    files: Sequence[dict[str, Any]],
    ids: Ids,
    *,
    scope: Callable[[], Any],
) -> int:
    """How many came. Begun again it goes on; a row whose bytes did not travel says so."""
    names = {file["name"] for file in files}
    found = 0
    for name in sorted(names):
        if name.startswith(f"{FOLDER}/"):
            with scope():
                found += _arrive(archive, name, names, ids)
    with scope():
        _without_bytes()
    return found


@transaction.atomic
def _arrive(archive: ZipFile, name: str, names: set[str], ids: Ids) -> int:
    """One file, whose bytes are all that memory holds; none for a row that did not come along."""
    old = UUID(name.split("/")[1].split(".", maxsplit=1)[0])
    file = Attachment.stored.filter(pk=ids.new(old), redacted_at__isnull=True).first()
    if file is None:
        return 0
    if not AttachmentBody.objects.filter(attachment=file).exists():
        small = preview_path_of(Attachment(id=old))
        preview = archive.read(small) if small in names else None
        AttachmentBody.objects.create(attachment=file, content=archive.read(name), preview=preview)
    return 1


@transaction.atomic
def _without_bytes() -> None:
    bodies = AttachmentBody.raw.filter(tenant=OuterRef("tenant"), attachment=OuterRef("pk"))
    empty = Attachment.stored.filter(~Exists(bodies), redacted_at__isnull=True)
    while files := list(empty[:_BATCH]):
        take_out(files)
