"""The staff's gate: platform operators only, and a policy for their pages alone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, cast

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

from tenants.access import tenant_by_slug, visit_of
from tenants.errors import NotFound
from tenants.models import StaffVisit, Tenant, User
from tenants.scoping import tenant_scope

# The back office's scripts evaluate expressions of its own templates. No other page may.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-eval' 'nonce-{nonce}';"
    " style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none';"
    " frame-ancestors 'none'"
)

_View = Callable[..., HttpResponseBase]


def is_operator(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_active and request.user.is_staff


def staff_required(view: _View) -> _View:
    """Others who are signed in learn nothing: the page does not exist for them."""

    @wraps(view)
    def gate(request: HttpRequest, *args: Any, **ids: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not is_operator(request):
            raise Http404
        response = view(request, *args, **ids)
        response.headers["Content-Security-Policy"] = POLICY
        return response

    gate.staff_gate = True  # type: ignore[attr-defined]
    return gate


class StaffRequest(HttpRequest):
    """What a view behind an open visit receives."""

    tenant: Tenant
    user: User
    visit: StaffVisit


def visit_required(view: _View) -> _View:
    """Below it, content of one tenant: only for an operator whose visit there is open now.

    The visit is asked for at every page, so that ending it, by whomever, closes the next one.
    """

    @wraps(view)
    def gate(request: HttpRequest, tenant: str, **ids: Any) -> HttpResponseBase:
        inside = cast("StaffRequest", request)
        try:
            inside.tenant = tenant_by_slug(tenant)
            with tenant_scope(inside.tenant.id):
                inside.visit = visit_of(inside.user)
                return view(inside, **ids)
        except NotFound as error:
            raise Http404 from error

    return staff_required(gate)


@contextmanager
def visiting(tenant: Tenant) -> Iterator[None]:
    """The tenant's scope, for the one service that opens a visit."""
    with tenant_scope(tenant.id):
        yield
