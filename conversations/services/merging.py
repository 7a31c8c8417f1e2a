"""Two customers who are one person become one; and, for a while, two again.

Lock order: tokens, customers by id, conversations by id. A post holds its token's lock until it
ends, so the posts that were under way are done, and the next ones find the token moved or ended.
"""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from conversations import live
from conversations.models import (
    Attachment,
    Conversation,
    Customer,
    CustomerIdentity,
    CustomerMerge,
    Message,
    WidgetToken,
)
from conversations.services.exports import end_for_customers
from conversations.services.privacy_guards import refuse_while_bound
from tenants.errors import Conflict, Gone, InvalidInput, NotFound
from tenants.models import Member
from tenants.services import audit

UNDO_FOR = timedelta(days=14)
_PROFILE = ("name", "email", "locale")
Kind = CustomerMerge.Kind


class SameCustomer(InvalidInput):
    """Nobody is merged with themselves."""

    code = "same_customer"
    detail = "Choose another customer: this one cannot be merged with itself."


class BothProven(Conflict):
    """Two people whom the tenant's own server knows by two names are hardly one."""

    code = "both_proven"
    detail = (
        "Your website knows both by a sign-in of their own. Merge them only if you are sure that"
        " they are one person: either would then read what the other wrote. Confirm it to go on."
    )


class NothingToSplit(InvalidInput):
    """A split takes some conversations and leaves some."""

    code = "nothing_to_split"
    detail = "Choose at least one conversation of this customer, and leave at least one."


class CannotUndo(Gone):
    """Too late, or undone already."""

    code = "cannot_undo"
    detail = "This can be undone for 14 days and once. Split the customer instead."


@transaction.atomic
def merge(
    kept: Customer, other: Customer, *, by: Member, although_both_proven: bool = False
) -> CustomerMerge:
    """All that is `other`'s becomes `kept`'s; for 14 days it can be undone.

    What `kept` says of itself stays, what it lacks comes from `other`. Sessions that nobody has
    proven end where they would open a proven customer's talks to whoever holds them.
    """
    if kept.pk == other.pk:
        raise SameCustomer
    kept, other = _locked(kept, other)
    if kept.merged_into_id or other.merged_into_id:
        raise NotFound  # somebody else was faster
    if _is_proven(kept) and _is_proven(other) and not although_both_proven:
        raise BothProven
    refuse_while_bound(kept, other)
    _end_unproven_sessions(kept, other)
    identities = _move_identities(other, to=kept)
    WidgetToken.objects.filter(customer=other).update(customer=kept)
    move_unsent_files(other, to=kept)
    conversations = move_conversations(
        Conversation.objects.filter(customer=other), source=other, to=kept
    )
    filled, attributes = _fill(kept, other)
    Customer.objects.filter(merged_into=other).update(merged_into=kept)
    Customer.objects.filter(pk=other.pk).update(merged_into=kept)
    end_for_customers([kept.id, other.id])
    row = CustomerMerge.objects.create(
        kind=Kind.MERGE,
        source=other,
        target=kept,
        conversations=conversations,
        identities=identities,
        filled=filled,
        attributes=attributes,
        by=by,
        undo_until=timezone.now() + UNDO_FOR,
    )
    _record("customer.merged", row, kept, by=by)
    return row


@transaction.atomic
def split(customer: Customer, *, conversations: Sequence[UUID], by: Member) -> CustomerMerge:
    """These conversations become those of a new, nameless customer; for 14 days it can be undone.

    Sessions and proofs stay: nothing says whose they are.
    """
    (customer,) = _locked(customer)
    refuse_while_bound(customer)
    own = Conversation.objects.filter(customer=customer)
    chosen = own.filter(pk__in=conversations)
    if len(chosen) != len(set(conversations)) or not 0 < len(chosen) < own.count():
        raise NothingToSplit
    fresh = Customer.objects.create(locale=customer.locale)
    moved = move_conversations(chosen, source=customer, to=fresh)
    end_for_customers([customer.id])
    row = CustomerMerge.objects.create(
        kind=Kind.SPLIT,
        source=customer,
        target=fresh,
        conversations=moved,
        by=by,
        undo_until=timezone.now() + UNDO_FOR,
    )
    _record("customer.split", row, customer, by=by)
    return row


@transaction.atomic
def undo(row: CustomerMerge, *, by: Member) -> CustomerMerge:
    """What moved moves back, as far as it is still there; what came since stays where it came."""
    source, target = _locked(row.source, row.target)
    row = CustomerMerge.objects.select_for_update().get(pk=row.pk)
    if row.undone_at is not None or row.undo_until <= timezone.now():
        raise CannotUndo
    refuse_while_bound(source, target)
    if row.kind == Kind.MERGE:
        _part(row, source, target)
    moved = Conversation.objects.filter(pk__in=row.conversations, customer=target)
    move_conversations(moved, source=target, to=source)
    end_for_customers([source.id, target.id])
    CustomerMerge.objects.filter(pk=row.pk).update(undone_at=Now())
    row.refresh_from_db(fields=["undone_at"])
    _record(f"customer.{row.kind}_undone", row, target, by=by)
    return row


def move_conversations(
    talks: QuerySet[Conversation], *, source: Customer, to: Customer
) -> list[UUID]:
    """These talks and the source's lines in them are another customer's from now on.

    A client key that both have used may stand once; the older proof is enough.
    """
    talks = talks.filter(customer=source).order_by("id")
    moved = list(talks.select_for_update(no_key=True).values_list("id", flat=True))
    used = Message.objects.filter(customer=to, client_key__isnull=False).values("client_key")
    messages = Message.objects.filter(customer=source, conversation__in=moved)
    messages.filter(client_key__in=used).update(client_key=None)
    messages.update(customer=to)
    Attachment.stored.filter(customer=source, conversation__in=moved).update(customer=to)
    Conversation.objects.filter(id__in=moved).update(customer=to)
    for conversation_id in moved:
        live.ring(conversation_id, "state")
    return moved


def move_unsent_files(source: Customer, *, to: Customer) -> None:
    """What was brought and not yet sent goes along with whoever brought it."""
    Attachment.stored.filter(customer=source, conversation__isnull=True).update(customer=to)


def revoke(tokens: QuerySet[WidgetToken]) -> None:
    """These sessions end now."""
    tokens.filter(revoked_at__isnull=True).update(revoked_at=Now())


def _locked(*customers: Customer) -> list[Customer]:
    """As they are now, and nothing of theirs changes before the transaction ends."""
    ids = [customer.pk for customer in customers]
    tokens = WidgetToken.objects.filter(customer__in=ids, revoked_at__isnull=True)
    list(tokens.select_for_update(no_key=True).order_by("id").values_list("pk"))
    rows = Customer.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("id")
    found = {row.pk: row for row in rows}
    if len(found) != len(ids):
        raise NotFound
    talks = Conversation.objects.filter(customer__in=ids).order_by("id")
    list(talks.select_for_update(no_key=True).values_list("pk"))
    return [found[pk] for pk in ids]


def _end_unproven_sessions(kept: Customer, other: Customer) -> None:
    """Whoever holds an unproven session of one may be anybody, and would read the other's talks."""
    revoke(WidgetToken.objects.filter(customer=other, verified=False))
    if _is_proven(other):
        revoke(WidgetToken.objects.filter(customer=kept, verified=False))


def _is_proven(customer: Customer) -> bool:
    return CustomerIdentity.objects.filter(customer=customer).exists()


def _move_identities(other: Customer, *, to: Customer) -> list[UUID]:
    proofs = CustomerIdentity.objects.filter(customer=other)
    ids = list(proofs.values_list("pk", flat=True))
    proofs.update(customer=to)
    return ids


def _fill(kept: Customer, other: Customer) -> tuple[list[str], list[str]]:
    """What `kept` lacks comes from `other`: names of fields and of attributes."""
    filled = [name for name in _PROFILE if not getattr(kept, name) and getattr(other, name)]
    for name in filled:
        setattr(kept, name, getattr(other, name))
    if "email" in filled:
        kept.email_verified = other.email_verified
    added = sorted(set(other.attributes) - set(kept.attributes))
    kept.attributes = {name: other.attributes[name] for name in added} | kept.attributes
    kept.save(update_fields=[*_PROFILE, "email_verified", "attributes"])
    return filled, added


def _part(row: CustomerMerge, source: Customer, target: Customer) -> None:
    """Two customers again: proofs go back, and what was filled in goes unless it was changed."""
    if source.merged_into_id != target.pk:
        raise CannotUndo
    Customer.objects.filter(pk=source.pk).update(merged_into=None)
    # Whoever had been merged into the source before belongs to it again.
    before = CustomerMerge.objects.filter(target=source, kind=Kind.MERGE, undone_at__isnull=True)
    Customer.objects.filter(pk__in=before.values("source")).update(merged_into=source)
    CustomerIdentity.objects.filter(pk__in=row.identities, customer=target).update(customer=source)
    # Which of the sessions were whose is known to nobody: a sign-in on the website makes new ones.
    revoke(WidgetToken.objects.filter(customer=target))
    for name in row.filled:
        if getattr(target, name) == getattr(source, name):
            setattr(target, name, "")
    target.email_verified = target.email_verified and bool(target.email)
    target.attributes = {
        name: value
        for name, value in target.attributes.items()
        if name not in row.attributes or value != source.attributes.get(name)
    }
    target.save(update_fields=[*_PROFILE, "email_verified", "attributes"])


def _record(action: str, row: CustomerMerge, customer: Customer, *, by: Member) -> None:
    counts = {"conversations": len(row.conversations), "identities": len(row.identities)}
    audit.record(action, by=by, target=customer, detail={"merge": str(row.id), **counts})
