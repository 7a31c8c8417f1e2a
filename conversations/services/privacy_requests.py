"""What customers ask of the privacy desk."""

from typing import NamedTuple
from uuid import UUID

from conversations.models import Customer, WidgetToken
from conversations.services import exports
from tenants.errors import Forbidden
from tenants.models import Actor, AuditEntry
from tenants.scoping import current_tenant_id


class VerificationRequired(Forbidden):
    """Nobody gets or deletes the data of a person whom they only claim to be."""

    code = "verification_required"
    title = "Please confirm who you are first"
    detail = "Sign in on the website, open the chat again and repeat your request there."


class Received(NamedTuple):
    """A request that is on the record; the privacy desk takes it from there."""

    id: UUID
    kind: str
    state: str


def require_proof(customer: Customer, *, token: WidgetToken) -> None:
    """Raises `VerificationRequired` unless the tenant vouches for them or they confirmed it."""
    if not (token.verified or customer.email_verified):
        raise VerificationRequired


def receive(customer: Customer, *, kind: str, token: WidgetToken) -> Received:
    """Put the request on the record; raises `VerificationRequired` for an unproven customer."""
    require_proof(customer, token=token)
    if kind == "export":
        export = exports.ask(customer, by=exports.Asker.customer())
        return Received(export.id, kind, "received")
    entry = AuditEntry.objects.create(
        tenant_id=current_tenant_id(),
        actor_kind=Actor.CUSTOMER,
        actor_id=customer.id,
        action="privacy_request_received",
        target_kind="customer",
        target_id=customer.id,
        detail={"kind": kind},
    )
    return Received(entry.id, kind, "received")
