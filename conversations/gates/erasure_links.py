"""The gate of a mailed link: it names its tenant, whose scope opens around the view."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from conversations.access import erasure_by_link
from conversations.gates.languages import asked_language
from conversations.letters import page_of_ended_link
from conversations.models import ErasureRequest
from tenants.crypto import ERASURE_LINK, parse_token
from tenants.errors import DeskError, NotFound
from tenants.scoping import tenant_scope


class LinkedRequest(HttpRequest):
    """What a view behind the gate receives."""

    erasure: ErasureRequest


_View = Callable[[LinkedRequest], HttpResponseBase]


def erasure_link_required(view: _View) -> Callable[..., HttpResponseBase]:
    """Guards the page of a mailed link; expired, used and unknown ones give one 404 page."""

    @wraps(view)
    def gate(request: LinkedRequest, token: str) -> HttpResponseBase:
        tenant_id = parse_token(token, ERASURE_LINK)
        try:
            if tenant_id is None:
                raise NotFound
            with tenant_scope(tenant_id):
                request.erasure = erasure_by_link(token)
                return view(request)
        except DeskError:
            page = page_of_ended_link(asked_language(request))
            return render(request, "console/privacy/confirm.html", {"page": page}, status=404)

    gate.erasure_link_gate = True  # type: ignore[attr-defined]
    return gate
