"""The only way from an outside id to a row. Absent, foreign and forbidden give the same answer."""

from typing import TypeVar
from uuid import UUID

from django.db import models

from conversations.models import (
    Conversation,
    Customer,
    FunnelStage,
    Label,
    LegalHold,
    Message,
    RetentionPolicy,
)
from conversations.selectors.inbox import visible_to, with_people
from tenants.access import member_by_id
from tenants.errors import Conflict, NotFound
from tenants.models import Member
from tenants.permissions import Permission, may


class Ambiguous(Conflict):
    """An address that does not say who is meant."""

    code = "ambiguous_customer"
    title = "Several customers have this address"
    detail = "Open the right customer's page and use the id."


_Row = TypeVar("_Row", bound=models.Model)


def parse_id(value: UUID | str) -> UUID:
    """A UUID, or `NotFound`: a malformed id names nothing."""
    if isinstance(value, UUID):
        return value
    try:
        return UUID(value)
    except ValueError as error:
        raise NotFound from error


def conversation_for_member(member: Member, conversation_id: UUID | str) -> Conversation:
    """A conversation that the member may read: the same rows as in the inbox."""
    return _one(with_people(visible_to(member)), conversation_id)


def conversation_for_customer(customer: Customer, conversation_id: UUID | str) -> Conversation:
    """A conversation of this very customer."""
    return _one(
        Conversation.objects.filter(customer=customer).select_related("assignee__user"),
        conversation_id,
    )


def customer_for_member(member: Member, customer_id: UUID | str) -> Customer:
    """A customer of the member's tenant."""
    if not may(member, Permission.READ):
        raise NotFound
    return _one(Customer.objects.all(), customer_id)


def message_for_member(member: Member, message_id: UUID | str) -> Message:
    """A message that was said in a conversation that the member may read."""
    message = _one(Message.objects.exclude(text=""), message_id)
    conversation_for_member(member, message.conversation_id)
    return message


def stage_for_member(member: Member, stage_id: UUID | str) -> FunnelStage:
    """A stage of the tenant's funnel."""
    if not may(member, Permission.READ):
        raise NotFound
    return _one(FunnelStage.objects.all(), stage_id)


def assignee_for_member(member: Member, teammate_id: UUID | str) -> Member:
    """An active teammate who may answer, for a member who may assign."""
    found = member_by_id(parse_id(teammate_id))
    if not (may(member, Permission.REPLY) and may(found, Permission.REPLY)):
        raise NotFound
    return found


def policy_for_member(member: Member, policy_id: UUID | str) -> RetentionPolicy:
    """A retention policy, for who keeps the privacy desk."""
    return _one(_kept(member, RetentionPolicy.objects.select_related("label")), policy_id)


def hold_for_member(member: Member, hold_id: UUID | str) -> LegalHold:
    """A legal hold, for who keeps the privacy desk."""
    return _one(_kept(member, LegalHold.objects.all()), hold_id)


def label_for_member(member: Member, label: UUID | str) -> Label:
    """A label by its id or, as people say it, by its name."""
    if not may(member, Permission.READ):
        raise NotFound
    named = Label.objects.filter(name=label).first() if isinstance(label, str) else None
    return named or _one(Label.objects.all(), label)


def subject_for_member(
    member: Member, scope: str, subject: UUID | str
) -> Customer | Conversation | Label:
    """What a hold of that scope is to keep."""
    if scope == LegalHold.Scope.CUSTOMER:
        return _customer_by_address(member, subject) or customer_for_member(member, subject)
    if scope == LegalHold.Scope.CONVERSATION:
        return conversation_for_member(member, subject)
    return label_for_member(member, subject)


def _customer_by_address(member: Member, address: UUID | str) -> Customer | None:
    """Two customers may give one address: nobody guesses which is meant."""
    if not (isinstance(address, str) and "@" in address and may(member, Permission.READ)):
        return None
    found = list(Customer.objects.filter(email__iexact=address)[:2])
    if len(found) > 1:
        raise Ambiguous
    return found[0] if found else None


def _kept(member: Member, rows: models.QuerySet[_Row]) -> models.QuerySet[_Row]:
    return rows if may(member, Permission.PRIVACY) else rows.none()


def _one(rows: models.QuerySet[_Row], row_id: UUID | str) -> _Row:
    row = rows.filter(pk=parse_id(row_id)).first()
    if row is None:
        raise NotFound
    return row
