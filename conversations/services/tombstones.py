"""That somebody was erased, by pseudonym: in the database, and in a file beside it.

A restored backup knows neither the erasure nor its tombstone. The file does, because it lies
elsewhere; it is written before the first row goes.
"""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import transaction

from conversations.models import Customer, Tombstone, WidgetToken
from conversations.selectors.tombstones import token_subject
from conversations.services.erasure_requests import ask_after_restore
from tenants.scoping import current_tenant_id
from tenants.services.audit import pseudonym


class Line(NamedTuple):
    """One line of the list: a tenant, and the pseudonym of a person who was erased there."""

    tenant: UUID
    subject: UUID


def bury(ids: Iterable[UUID], *, request_id: UUID) -> None:
    """These customers and conversations are gone for good; saying it twice changes nothing."""
    Tombstone.objects.bulk_create(
        [Tombstone(subject=pseudonym(one), request_id=request_id) for one in ids],
        ignore_conflicts=True,
        batch_size=1000,
    )


def bury_sessions(customer_id: UUID, *, request_id: UUID) -> None:
    """Who still holds a token of theirs is told that the conversation was deleted, not to sign in.

    Before the sessions go; from a token's hash under the tenant's key, so that nothing leads back.
    """
    hashes = WidgetToken.objects.filter(customer=customer_id).values_list("token_hash", flat=True)
    Tombstone.objects.bulk_create(
        [Tombstone(subject=token_subject(bytes(one)), request_id=request_id) for one in hashes],
        ignore_conflicts=True,
        batch_size=1000,
    )


def write_down(subject: UUID, *, request_id: UUID) -> None:
    """One line of the list outside of the database, on the disk before this returns."""
    line = {"tenant": str(current_tenant_id()), "subject": str(subject), "request": str(request_id)}
    path = Path(settings.ERASURE_LIST)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Appending in one write: lines of several processes do not mix.
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, (json.dumps(line) + "\n").encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def list_lines(path: Path) -> Iterator[Line]:
    """What a list says; a line that was cut off by a crash is left out."""
    if not path.exists():
        return
    with path.open() as file:
        for text in file:
            try:
                line = json.loads(text)
                yield Line(UUID(line["tenant"]), UUID(line["subject"]))
            except (ValueError, KeyError, TypeError):
                continue


@transaction.atomic
def reapply(subjects: set[UUID]) -> int:
    """Erases again whom the list names and the open scope's tenant has; returns how many."""
    back = [
        customer
        for customer in Customer.stored.only("id").iterator(chunk_size=1000)
        if pseudonym(customer.id) in subjects
    ]
    return erase_again(back)


def erase_again(back: Iterable[Customer]) -> int:
    """Those who had been erased and are here again; returns how many."""
    requests = [ask_after_restore(customer) for customer in back]
    return len(requests)
