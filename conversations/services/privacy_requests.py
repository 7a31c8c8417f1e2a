"""What customers ask of the privacy desk."""

from typing import NamedTuple
from uuid import UUID

from conversations.models import Customer, WidgetToken
from conversations.services import erasure_requests, exports
from tenants.errors import Forbidden
from tenants.rates import check_rate

EXPORTS_A_DAY = 5


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
    if kind == "export" or not customer.email:  # a mailed link proves the rest
        require_proof(customer, token=token)
    if kind == "erasure":
        request = erasure_requests.ask_by_customer(customer, token=token)
        return Received(request.id, kind, request.state)
    check_rate("exports", str(customer.id), limit=EXPORTS_A_DAY, seconds=24 * 3600)
    export = exports.ask(customer, by=exports.Asker.customer(customer))
    return Received(export.id, kind, "received")
