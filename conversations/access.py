"""The only way from an outside id to a row. Absent, foreign and forbidden give the same answer."""

from collections.abc import Collection
from typing import TypeVar
from uuid import UUID

from django.db import models
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from conversations.models import (
    Attachment,
    Certificate,
    Conversation,
    Customer,
    CustomerMerge,
    ErasureRequest,
    ErasureState,
    ExportRequest,
    FunnelStage,
    Label,
    LegalHold,
    Message,
    RedactionTarget,
    RetentionPolicy,
    RetentionRun,
)
from conversations.selectors.inbox import visible_to, with_people
from conversations.selectors.tombstones import was_erased
from tenants.access import member_by_id
from tenants.crypto import ERASURE_LINK, hash_token, parse_token
from tenants.errors import Conflict, Gone, InvalidInput, NotFound
from tenants.models import Actor, Member, StaffVisit
from tenants.permissions import Permission, may
from tenants.scoping import current_tenant_id


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


class ConversationErased(Gone):
    """It was deleted for good; whoever still knows its number may know that."""

    code = "conversation_erased"
    title = "This conversation was deleted"
    detail = "It cannot be read or continued any more. Start a new one."


def conversation_for_customer(customer: Customer, conversation_id: UUID | str) -> Conversation:
    """A conversation of this very customer; raises `ConversationErased` for what is gone."""
    rows = Conversation.objects.filter(customer=customer).select_related("assignee__user")
    try:
        return _one(rows, conversation_id)
    except NotFound:
        if was_erased(parse_id(conversation_id)):
            raise ConversationErased from None
        raise


def conversation_for_visit(_visit: StaffVisit, conversation_id: UUID | str) -> Conversation:
    """Any conversation of the tenant, for platform staff whose visit is open."""
    return _one(Conversation.objects.all(), conversation_id)


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


def customer_for_privacy(member: Member, customer_id: UUID | str) -> Customer:
    """A customer, for a member of the privacy desk."""
    if not may(member, Permission.PRIVACY):
        raise NotFound
    return _one(Customer.objects.all(), customer_id)


def erasure_for_member(member: Member, erasure_id: UUID | str) -> ErasureRequest:
    """A request of erasure, for a member of the privacy desk."""
    if not may(member, Permission.PRIVACY):
        raise NotFound
    rows = ErasureRequest.objects.select_related("asked_by__user", "approved_by__user")
    return _one(rows, erasure_id)


def redaction_target_for_member(member: Member, target_id: UUID | str) -> RedactionTarget:
    """A system that is told of erasures, for a member of the privacy desk."""
    if not may(member, Permission.PRIVACY):
        raise NotFound
    return _one(RedactionTarget.objects.filter(active=True), target_id)


def erasure_by_link(token: str) -> ErasureRequest:
    """The request whose mailed link this is, unless it has expired or is used up."""
    if parse_token(token, ERASURE_LINK) != current_tenant_id():
        raise NotFound
    found = ErasureRequest.objects.filter(
        token_hash=hash_token(token), state=ErasureState.REQUESTED, token_expires_at__gt=Now()
    ).first()
    if found is None:
        raise NotFound
    return found


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


def run_for_member(member: Member, run_id: UUID | str) -> RetentionRun:
    """A run of retention, for who keeps the privacy desk."""
    return _one(_kept(member, RetentionRun.objects.all()), run_id)


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


class NoSuchFile(InvalidInput):
    """A file that is not there to be sent: never brought, sent before, or not the caller's."""

    code = "no_such_file"
    title = "A file cannot be sent"
    detail = "A file is not there any more, or was sent before. Attach it again."

    @classmethod
    def named(cls, ids: Collection[UUID]) -> "NoSuchFile":
        names = ", ".join(sorted(map(str, ids)))
        return cls(errors={"attachments": [f"There is no unsent file {names} of yours."]})


def staged_file(by: Customer | Member, file_id: UUID | str) -> Attachment:
    """A file that this very person brought and has not sent."""
    return _one(unsent_files(by), file_id)


def staged_files(by: Customer | Member, ids: Collection[UUID]) -> list[Attachment]:
    """The same for several, locked until they are sent; raises `NoSuchFile` for any other id.

    They come in the order in which they were brought.
    """
    rows = unsent_files(by).select_for_update(of=("self",)).filter(pk__in=ids)
    found = list(rows.order_by("id")) if ids else []
    missing = set(ids) - {row.pk for row in found}
    if missing:
        raise NoSuchFile.named(missing)
    return found


def unsent_files(by: Customer | Member) -> models.QuerySet[Attachment]:
    """What this very person brought and has not sent."""
    rows = Attachment.objects.filter(conversation__isnull=True)
    return rows.filter(customer=by) if isinstance(by, Customer) else rows.filter(member=by)


def sent_file(file_id: UUID) -> Attachment:
    """A file for whoever has its link: sent, not taken out, and hidden by nothing."""
    talks = Conversation.objects.filter(pk=OuterRef("conversation"))
    rows = Attachment.objects.filter(Exists(talks), redacted_at__isnull=True)
    return _one(rows, file_id)


def file_for_member(member: Member, file_id: UUID | str) -> Attachment:
    """A sent file in a conversation that the member may read, or what is left of it."""
    file = _one(Attachment.stored.filter(conversation__isnull=False), file_id)
    conversation_for_member(member, file.conversation_id or "")
    return file


def certificate_for_member(member: Member, certificate_id: UUID | str) -> Certificate:
    """A certificate of the tenant, for a member of the privacy desk."""
    if not may(member, Permission.PRIVACY):
        raise NotFound
    return _one(Certificate.objects.all(), certificate_id)


def _one(rows: models.QuerySet[_Row], row_id: UUID | str) -> _Row:
    row = rows.filter(pk=parse_id(row_id)).first()
    if row is None:
        raise NotFound
    return row
