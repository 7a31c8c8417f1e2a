"""The members' gate: whoever passes it is signed in, belongs to the tenant and may do this.

It opens the tenant's scope around the view, which makes the scope the request's transaction, and
shows times in the tenant's zone.
"""

import json
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, NamedTuple, cast
from uuid import UUID

from asgiref.sync import sync_to_async
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render, resolve_url
from django.utils import timezone

from tenants.access import member_of, tenant_by_slug
from tenants.errors import DeskError, Forbidden, Unauthenticated
from tenants.models import Member, Tenant, User
from tenants.permissions import Permission, may
from tenants.scoping import tenant_scope

SESSION_KEY = "tenant"  # The slug of the tenant that this login session is in.


class MemberRequest(HttpRequest):
    """What a view behind the gate receives."""

    tenant: Tenant
    member: Member
    user: User


_WHEN_CLOSED = (Permission.PRIVACY, Permission.OWNERS)
_View = Callable[Concatenate[MemberRequest, ...], HttpResponseBase]
_StreamView = Callable[Concatenate[MemberRequest, ...], Coroutine[Any, Any, HttpResponseBase]]
Gate = Callable[..., HttpResponseBase]
StreamGate = Callable[..., Awaitable[HttpResponseBase]]


class Suspended(Forbidden):
    """The doors are closed for now, by the platform's operator or by an owner."""

    code = "tenant_suspended"
    title = "This workspace is suspended"
    detail = "Nothing was deleted. Ask an owner of it, or the operator of this desk, to open it."


class ReadOnly(Suspended):
    """Whoever cares for the privacy of a closed workspace reads it, exports it and ends it."""

    title = "This workspace is closed"
    detail = "It can be read, exported and ended, and nothing else. Open it again to go on."


def member_required(permission: Permission) -> Callable[[_View], Gate]:
    """Guards a page under `/t/<slug:tenant>/`; the view gets `request.tenant` and `request.member`.

    An unknown tenant and one that the user is no member of give the same 404; a missing permission
    gives 403. The slug is taken out of the arguments. All that the view wrote is undone when it
    raises or answers 500 or more.
    """

    def guard(view: _View) -> Gate:
        @wraps(view)
        def gate(request: HttpRequest, tenant: str, **ids: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return _to_login(request)
            try:
                return _through(request, tenant, permission, lambda inside: view(inside, **ids))
            except _Undone as undone:
                return undone.response
            except DeskError as error:
                return refusal_page(request, error)

        gate.required_permission = permission  # type: ignore[attr-defined]
        return gate

    return guard


def member_outside_required(permission: Permission) -> Callable[[_View], Gate]:
    """Guards a page that waits for somebody else: its scope closes before the view begins.

    A transaction held while a model or another server thinks would keep its rows and a connection
    from everybody else. The view takes short scopes of its own, through the runtime.
    """

    def guard(view: _View) -> Gate:
        @wraps(view)
        def gate(request: HttpRequest, tenant: str, **ids: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return _to_login(request)
            inside = cast("MemberRequest", request)
            try:
                inside.tenant, inside.member = _enter_shortly(request, tenant, permission)
                with timezone.override(inside.tenant.zone):
                    return view(inside, **ids)
            except DeskError as error:
                return refusal_page(request, error)

        gate.required_permission = permission  # type: ignore[attr-defined]
        return gate

    return guard


def member_stream_required(permission: Permission) -> Callable[[_StreamView], StreamGate]:
    """Guards an async view whose answer is a stream: the scope closes before the view begins.

    The view takes short scopes of its own. Refusals are raised as `DeskError`, for the caller's
    translation: a stream's reader wants problem JSON and no page.
    """

    def guard(view: _StreamView) -> StreamGate:
        @wraps(view)
        async def gate(request: HttpRequest, tenant: str, **ids: Any) -> HttpResponseBase:
            entered = await member_for_stream(request, tenant, permission)
            inside = cast("MemberRequest", request)
            inside.tenant, inside.member = entered
            return await view(inside, **ids)

        gate.required_permission = permission  # type: ignore[attr-defined]
        return gate

    return guard


class Entered(NamedTuple):
    """Who came through the gate, and whereto."""

    tenant: Tenant
    member: Member


async def member_for_stream(
    request: HttpRequest, slug: str, permission: Permission = Permission.READ
) -> Entered:
    """The same questions in one short scope; raises Unauthenticated, NotFound or Forbidden."""
    return await sync_to_async(_enter_shortly)(request, slug, permission)


def member_by_session(request: HttpRequest) -> tuple[UUID, Callable[[], Member]] | None:
    """For the API: the tenant that the login session is in, and how to find the member inside it.

    None without a signed-in user or before a tenant was entered.
    """
    slug = request.session.get(SESSION_KEY)
    if not slug or not request.user.is_authenticated:
        return None
    tenant = tenant_by_slug(slug)
    user = request.user
    return tenant.id, lambda: _admit(tenant, user, None)


def refusal_page(request: HttpRequest, error: DeskError) -> HttpResponse:
    """A page that says what happened and what to do next; "not found" looks the same everywhere."""
    name = "404.html" if error.status == 404 else "console/refusal.html"
    answer = render(request, name, {"error": error}, status=error.status)
    if _wants_a_part(request):
        # The page would land in a corner of the old one: say it in a toast, change nothing.
        toast = {"toast": {"text": error.detail, "level": "error"}}
        answer["HX-Reswap"], answer["HX-Trigger"] = "none", json.dumps(toast)
    return answer


class _Undone(Exception):
    """Carries a server error's answer out of the scope, whose transaction this rolls back."""

    def __init__(self, response: HttpResponseBase) -> None:
        self.response = response
        super().__init__()


def _through(
    request: HttpRequest,
    slug: str,
    permission: Permission,
    view: Callable[[MemberRequest], HttpResponseBase],
) -> HttpResponseBase:
    tenant = tenant_by_slug(slug)
    with tenant_scope(tenant.id):
        inside = cast("MemberRequest", request)
        inside.tenant, inside.member = tenant, _admit(tenant, inside.user, permission)
        if not tenant.is_active:
            _refuse_but_reading(request, permission)
        with timezone.override(tenant.zone):
            response = view(inside)
        if response.status_code >= 500:
            raise _Undone(response)
    if request.session.get(SESSION_KEY) != slug:
        request.session[SESSION_KEY] = slug
    return response


def _enter_shortly(request: HttpRequest, slug: str, permission: Permission) -> Entered:
    if not request.user.is_authenticated:
        raise Unauthenticated
    tenant = tenant_by_slug(slug)
    with tenant_scope(tenant.id):
        member = _admit(tenant, request.user, permission)
        if not tenant.is_active:
            raise Suspended  # streams and the playground wait until the doors are open
        return Entered(tenant, member)


def _admit(tenant: Tenant, user: User, permission: Permission | None) -> Member:
    member = member_of(user, tenant)
    if not tenant.is_active and (permission is None or not may(member, Permission.PRIVACY)):
        raise Suspended
    if permission is not None and not may(member, permission):
        raise Forbidden
    return member


def _refuse_but_reading(request: HttpRequest, permission: Permission) -> None:
    """In a suspended tenant, for those who may be there at all."""
    if request.method not in ("GET", "HEAD") and permission not in _WHEN_CLOSED:
        raise ReadOnly


def _to_login(request: HttpRequest) -> HttpResponseBase:
    """An htmx request would put the login page into a corner of the old one; it is sent away."""
    if not _wants_a_part(request):
        return redirect_to_login(request.get_full_path())
    answer = HttpResponse(status=204)
    answer["HX-Redirect"] = resolve_url("tenants:login")
    return answer


def _wants_a_part(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


__all__ = [
    "SESSION_KEY",
    "Entered",
    "MemberRequest",
    "member_by_session",
    "member_for_stream",
    "member_outside_required",
    "member_required",
    "member_stream_required",
    "refusal_page",
]
