"""What was erased, asked by an id that somebody still knows."""

from collections.abc import Collection
from uuid import UUID

from conversations.models import Tombstone
from tenants.services.audit import pseudonym


def erased_among(ids: Collection[UUID]) -> set[UUID]:
    """Those of the ids that were erased; two statements and the key, one where nobody was."""
    if not Tombstone.objects.exists():
        return set()
    subjects = {pseudonym(one): one for one in ids}
    found = Tombstone.objects.filter(subject__in=subjects).values_list("subject", flat=True)
    return {subjects[one] for one in found}


def was_erased(subject_id: UUID) -> bool:
    """Whether a customer or a conversation of this id was erased from the open scope's tenant."""
    if not Tombstone.objects.exists():
        return False
    return Tombstone.objects.filter(subject=pseudonym(subject_id)).exists()
