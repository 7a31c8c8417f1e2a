"""The address of a file: it carries its own proof, so that a picture needs no session to show.

Who reads a message gets fresh links with it. They hold for one to two hours, and are the same
within an hour, so that a browser keeps what it has fetched.
"""

from typing import Literal, NamedTuple
from uuid import UUID

from django.core.signing import BadSignature, TimestampSigner, b62_encode
from django.urls import reverse
from django.utils import timezone

from conversations.models import Attachment
from tenants.scoping import current_tenant_id

Variant = Literal["full", "preview"]
_HOUR = 3600
_LETTERS: dict[Variant, str] = {"full": "f", "preview": "p"}
_VARIANTS: dict[str, Variant] = {letter: variant for variant, letter in _LETTERS.items()}


class FileLink(NamedTuple):
    """What a link names."""

    tenant_id: UUID
    attachment_id: UUID
    variant: Variant


class _HourlySigner(TimestampSigner):
    def timestamp(self) -> str:
        now = int(timezone.now().timestamp())
        return b62_encode(now - now % _HOUR)


def link_to(file: Attachment, variant: Variant) -> str:
    """A path that opens a file of the open scope's tenant for whoever has it."""
    value = f"{current_tenant_id().hex}{file.id.hex}{_LETTERS[variant]}"
    name = file.name if variant == "full" else f"{file.name}.webp"
    return reverse("file", args=[_signer().sign(value), name])


def read_link(signed: str) -> FileLink | None:
    """What the link names; None when it is too old or not of our making."""
    try:
        value = _signer().unsign(signed, max_age=2 * _HOUR)
        return FileLink(UUID(value[:32]), UUID(value[32:64]), _VARIANTS[value[64:]])
    except (BadSignature, ValueError, KeyError):
        return None


def _signer() -> _HourlySigner:
    return _HourlySigner(salt="conversations.files")
