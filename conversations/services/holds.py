"""Placing and releasing legal holds. A hold that is committed first always wins over a purge."""

from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from conversations.models import Conversation, Customer, Label, LegalHold
from conversations.models.holds import RELEASE_DAYS
from conversations.selectors.holds import covered, in_force
from conversations.selectors.retention_law import is_lawless
from conversations.services.reckoning import reckon, reckon_people
from tenants.errors import InvalidInput
from tenants.models import Member
from tenants.services.audit import record
from tenants.text import clean_text

REASON_LIMIT = 500


@transaction.atomic
def place(subject: Customer | Conversation | Label, *, reason: str, by: Member) -> LegalHold:
    """Nothing of the subject is deleted from now on, and nothing of it expires.

    Locks what it covers, as every purge does: a batch that is under way ends first, and the next
    one sees the hold.
    """
    reason = " ".join(clean_text(reason, limit=REASON_LIMIT).split())
    if not reason:
        raise InvalidInput(errors={"reason": ["Say why this must be kept."]})
    hold = LegalHold(scope=_scope(subject), subject_id=subject.pk, reason=reason, placed_by=by)
    talks = _lock(subject, covered(hold))
    hold.save()
    hold.refresh_from_db()
    if not is_lawless():
        if talks:
            reckon(talks)
        if isinstance(subject, Customer):
            reckon_people([subject.pk])
    record("legal_hold_placed", by=by, target=hold, detail={"scope": hold.scope})
    return hold


@transaction.atomic
def release(hold: LegalHold, *, by: Member) -> LegalHold:
    """The hold ends in a week; until then it keeps everything. Idempotent."""
    row = LegalHold.objects.select_for_update().get(pk=hold.pk)
    if row.is_released:
        return row
    row.released_by, row.released_at = by, Now()
    row.ends_at = Now() + timedelta(days=RELEASE_DAYS)
    row.save(update_fields=["released_by", "released_at", "ends_at"])
    row.refresh_from_db()
    record("legal_hold_released", by=by, target=row, detail={"scope": row.scope})
    return row


def carry(source: Customer, *, to: Customer) -> None:
    """As one customer's talks become another's, in the caller's transaction: the holds come along.

    Without this, signing in would take a held talk from under its hold.
    """
    for hold in in_force().filter(scope=LegalHold.Scope.CUSTOMER, subject_id=source.pk):
        LegalHold.objects.create(
            scope=hold.scope,
            subject_id=to.pk,
            reason=hold.reason,
            placed_by_id=hold.placed_by_id,
            released_by_id=hold.released_by_id,
            released_at=hold.released_at,
            ends_at=hold.ends_at,
        )


def is_held_label(label_id: UUID) -> bool:
    return in_force().filter(scope=LegalHold.Scope.LABEL, subject_id=label_id).exists()


def _scope(subject: Customer | Conversation | Label) -> str:
    kinds = {
        Customer: LegalHold.Scope.CUSTOMER,
        Conversation: LegalHold.Scope.CONVERSATION,
        Label: LegalHold.Scope.LABEL,
    }
    return kinds[type(subject)]


def _lock(subject: Customer | Conversation | Label, talks: QuerySet[Conversation]) -> list[UUID]:
    """The talks first and in order of their ids, as every purge locks them; then the subject."""
    rows = talks.order_by("pk").select_for_update(of=("self",))
    found = list(rows.values_list("pk", flat=True))
    list(type(subject).raw.select_for_update().filter(pk=subject.pk).values_list("pk", flat=True))
    return found
