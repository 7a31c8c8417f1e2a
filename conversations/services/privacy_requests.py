"""What customers ask of the privacy desk."""

from typing import NamedTuple
from uuid import UUID

from conversations.models import Customer, WidgetToken
from conversations.services import erasure_requests
from tenants.errors import Forbidden
from tenants.services import audit


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


def receive(customer: Customer, *, kind: str, token: WidgetToken) -> Received:
    """Put the request on the record; raises `VerificationRequired` for an unproven customer."""
    proven = token.verified or customer.email_verified
    if kind == "erasure" and (proven or customer.email):
        request = erasure_requests.ask_by_customer(customer, token=token)
        return Received(request.id, kind, request.state)
    if not proven:
        raise VerificationRequired
    entry = audit.record(
        "privacy_request.received",
        by=audit.customer(customer.id),
        target=customer,
        detail={"kind": kind},
    )
    return Received(entry.id, kind, "received")
