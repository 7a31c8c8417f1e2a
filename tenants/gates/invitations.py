"""The invitation's gate: the mailed token names its tenant, whose scope opens around the view."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from tenants.access import open_invitation
from tenants.crypto import INVITATION, parse_token
from tenants.errors import DeskError, NotFound
from tenants.gates.members import refusal_page
from tenants.models import Invitation
from tenants.scoping import tenant_scope


class InvitedRequest(HttpRequest):
    """What a view behind the gate receives."""

    invitation: Invitation


_View = Callable[[InvitedRequest], HttpResponseBase]


def invitation_required(view: _View) -> Callable[..., HttpResponseBase]:
    """Guards the page of an invitation; expired, used and unknown ones give the same 404."""

    @wraps(view)
    def gate(request: InvitedRequest, token: str) -> HttpResponseBase:
        tenant_id = parse_token(token, INVITATION)
        try:
            if tenant_id is None:
                raise NotFound
            with tenant_scope(tenant_id):
                request.invitation = open_invitation(token)
                return view(request)
        except DeskError as error:
            return refusal_page(request, error)

    gate.invitation_gate = True  # type: ignore[attr-defined]
    return gate
