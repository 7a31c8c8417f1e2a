"""What was erased, asked by an id that somebody still knows."""

from uuid import UUID

from conversations.models import Tombstone
from tenants.services.audit import pseudonym


def was_erased(subject_id: UUID) -> bool:
    """Whether a customer or a conversation of this id was erased from the open scope's tenant."""
    if not Tombstone.objects.exists():
        return False
    return Tombstone.objects.filter(subject=pseudonym(subject_id)).exists()
