"""The only way from an outside id to a row. Absent, foreign and forbidden give the same answer."""

from typing import TypeVar
from uuid import UUID

from django.db import models

from conversations.models import (
    Conversation,
    Customer,
    CustomerMerge,
    ExportRequest,
    FunnelStage,
    Message,
)
from conversations.selectors.inbox import visible_to, with_people
from tenants.access import member_by_id
from tenants.errors import NotFound
from tenants.models import Actor, Member
from tenants.permissions import Permission, may

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
    """A customer of the member's tenant; who was merged into another is that one now."""
    if not may(member, Permission.READ):
        raise NotFound
    return _one(Customer.objects.filter(merged_into__isnull=True), customer_id)


def merge_for_member(member: Member, merge_id: UUID | str) -> CustomerMerge:
    """A merge or split that the member may look at."""
    if not may(member, Permission.READ):
        raise NotFound
    return _one(CustomerMerge.objects.select_related("source", "target", "by__user"), merge_id)


def export_for_member(member: Member, export_id: UUID | str) -> ExportRequest:
    """An export of the tenant, for a member of the privacy desk."""
    if not may(member, Permission.PRIVACY):
        raise NotFound
    return _one(ExportRequest.objects.select_related("customer"), export_id)


def export_for_customer(customer: Customer, export_id: UUID | str) -> ExportRequest:
    """A copy of their own data that this very customer has asked for."""
    return _one(ExportRequest.objects.filter(customer=customer, by_kind=Actor.CUSTOMER), export_id)


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


def _one(rows: models.QuerySet[_Row], row_id: UUID | str) -> _Row:
    row = rows.filter(pk=parse_id(row_id)).first()
    if row is None:
        raise NotFound
    return row
