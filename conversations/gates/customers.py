"""The customers' gate: a session token, the tenant's list of websites, and CORS for them."""

from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from conversations.access import ConversationErased
from conversations.models import Customer, WidgetToken
from conversations.selectors.tombstones import erased_together
from conversations.services.sessions import (
    WIDGET_TOKEN,
    IdentityRequired,
    is_in_use,
    is_known,
    keep_alive,
)
from tenants.access import tenant_is_open, widget_key
from tenants.crypto import WIDGET_KEY, hash_token, parse_token
from tenants.errors import DeskError, Forbidden, InvalidInput, NotFound, Unauthenticated
from tenants.gates.api import ApiView, bearer
from tenants.gates.bodies import read_json
from tenants.models import Tenant, WidgetKey
from tenants.origins import origin_allowed
from tenants.scoping import scope_is_open

_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST, DELETE",
    "Access-Control-Allow-Headers": "authorization, content-type, last-event-id",
    "Access-Control-Max-Age": "600",
}


class OriginNotAllowed(Forbidden):
    """A website that the tenant has not listed on its widget key."""

    code = "origin_not_allowed"
    title = "This website may not use the widget"
    detail = "Add the website's address to the allowed origins of this widget key."


class ChatClosed(Forbidden):
    """The tenant is suspended or closed; a customer is told so, and nothing of why."""

    code = "tenant_suspended"
    title = "This chat is closed"
    detail = "This chat is closed at the moment. Please reach the company in another way."


class UnknownKey(Unauthenticated):
    """No active widget has this key."""

    code = "unknown_key"
    title = "This chat is not available"
    detail = "The widget key is wrong or was switched off. Take a current one from the settings."


class WidgetAuthentication(BaseAuthentication):
    """`Authorization: Bearer wt_…`: the customer, and the token it is proven by."""

    def authenticate(self, request: Request) -> tuple[Customer, WidgetToken]:
        token = token_of_request(request._request)  # noqa: SLF001 - DRF has no other name
        return token.customer, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class KeyAuthentication(BaseAuthentication):
    """The widget's public key in the body: it proves nothing, and says which tenant is meant."""

    def authenticate(self, request: Request) -> tuple[None, WidgetKey]:
        http = request._request  # noqa: SLF001 - DRF has no other name
        given = read_json(http).get("key")
        if not isinstance(given, str):
            raise InvalidInput(errors={"key": ["Give the widget's public key."]})
        if not scope_is_open():
            raise UnknownKey  # it names no tenant
        if not tenant_is_open():
            raise ChatClosed
        try:
            key = widget_key(given)
        except NotFound:
            raise UnknownKey from None
        admit_origin(http, key)
        return None, key

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class WidgetView(ApiView):
    """For customers: everything starts from `self.customer`, never from an id alone."""

    authentication_classes = [WidgetAuthentication]

    def find_tenant(self, request: HttpRequest) -> UUID | None:
        return tenant_of_token(request)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method == "OPTIONS":
            return preflight(request)
        return with_cors(request, super().dispatch(request, *args, **kwargs))

    @property
    def token(self) -> WidgetToken:
        return cast("WidgetToken", self.request.auth)

    @property
    def customer(self) -> Customer:
        return self.token.customer

    @property
    def tenant(self) -> Tenant:
        tenant: Tenant = self.token.tenant
        return tenant


def tenant_of_key(request: HttpRequest) -> UUID | None:
    """The tenant that the key in the body names; verified inside its scope."""
    key = read_json(request).get("key")
    return parse_token(key, WIDGET_KEY) if isinstance(key, str) else None


def tenant_of_token(request: HttpRequest) -> UUID | None:
    return parse_token(bearer(request) or "", WIDGET_TOKEN)


def token_of_request(request: HttpRequest) -> WidgetToken:
    """The session that the request proves; inside the scope of `tenant_of_token`.

    A post holds the token's lock until it ends: a session that is raised to a proven identity
    waits for the posts before, and those after are refused.
    """
    if not scope_is_open():
        raise Unauthenticated
    plain = bearer(request) or ""
    rows = WidgetToken.objects.filter(token_hash=hash_token(plain))
    if request.method != "GET":
        rows = rows.select_for_update(no_key=True, of=("self",))
    token = rows.select_related("customer", "widget_key", "tenant").first()
    if token is None or token.customer.merged_into_id is not None:
        # A session that began just as its customer was merged: the next one is the right one's.
        raise _refusal(request, plain)
    admit_origin(request, token.widget_key)
    if not is_in_use(token) or not is_known(token.customer):
        raise _refusal(request, plain)
    if not token.tenant.is_active:
        raise ChatClosed
    if token.widget_key.identity_required and not token.verified:
        raise IdentityRequired
    keep_alive(token)
    return token


def _refusal(request: HttpRequest, plain: str) -> DeskError:
    """Whoever holds a token of somebody erased learns that the own conversation was deleted.

    For every other id, foreign, absent or erased with somebody else, it is the same refusal.
    """
    named = request.resolver_match.kwargs.get("conversation_id") if request.resolver_match else None
    if isinstance(named, UUID) and erased_together(hash_token(plain), named):
        return ConversationErased()
    return Unauthenticated()


def admit_origin(request: HttpRequest, key: WidgetKey) -> None:
    """Refuses a website that is not listed.

    It keeps abuse away and proves nothing: programs send any `Origin` or none.
    """
    origin = request.headers.get("Origin")
    if origin is None:
        return
    own = f"{request.scheme}://{request.get_host()}"
    if origin != own and not origin_allowed(origin, key.allowed_origins):
        raise OriginNotAllowed
    request.META["turnstone.origin"] = origin


def with_cors(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Lets the admitted website read the answer; no credentials of the browser, ever."""
    return _with_headers(response, cors_headers(request))


def cors_headers(request: HttpRequest) -> dict[str, str]:
    origin = request.META.get("turnstone.origin")
    exposed = {"Access-Control-Expose-Headers": "Retry-After"}
    return {"Vary": "Origin"} | (
        {"Access-Control-Allow-Origin": origin} | exposed if origin else {}
    )


def preflight(request: HttpRequest) -> HttpResponse:
    """The browser's question before the call.

    It carries no token, so it cannot tell which tenant is meant: the call itself is refused, and
    unreadable, for websites that are not listed.
    """
    response = HttpResponse(status=204)
    origin = request.headers.get("Origin", "null")
    if origin.startswith(("https://", "http://")):
        _with_headers(response, {"Access-Control-Allow-Origin": origin} | _PREFLIGHT)
    response["Vary"] = "Origin"
    return response


def _with_headers(response: HttpResponseBase, headers: Mapping[str, str]) -> HttpResponseBase:
    for name, value in headers.items():
        response[name] = value
    return response
