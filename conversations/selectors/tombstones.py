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


def token_subject(token_hash: bytes) -> UUID:
    """By what a session's tombstone is found: only who holds the token can say it."""
    return pseudonym(UUID(bytes=token_hash[:16]))


def erased_together(token_hash: bytes, conversation_id: UUID) -> bool:
    """Whether one erasure took the session of this token and this conversation."""
    if not Tombstone.objects.exists():
        return False
    subjects = [token_subject(token_hash), pseudonym(conversation_id)]
    found = Tombstone.objects.filter(subject__in=subjects, request_id__isnull=False)
    requests = list(found.values_list("request_id", flat=True))
    return len(requests) == len(subjects) and len(set(requests)) == 1


def was_erased(subject_id: UUID) -> bool:
    """Whether a customer or a conversation of this id was erased from the open scope's tenant."""
    if not Tombstone.objects.exists():
        return False
    return Tombstone.objects.filter(subject=pseudonym(subject_id)).exists()
