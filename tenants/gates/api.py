"""The gate of the HTTP APIs: who calls, in which tenant's scope, with which rights.

A request is one scope and so one transaction. Every refusal rolls it back: nothing half-stored.
"""

from abc import abstractmethod
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, ClassVar, cast
from uuid import UUID

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.authentication import BaseAuthentication, CSRFCheck
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer, Serializer
from rest_framework.views import APIView

from tenants.access import member_for_api_key
from tenants.crypto import API_KEY, parse_token
from tenants.errors import DeskError, Forbidden, NotFound, Unauthenticated
from tenants.gates import problems
from tenants.gates.bodies import StrictJsonParser, read_json, refuse_unknown
from tenants.gates.members import Suspended, member_by_session
from tenants.models import Member
from tenants.permissions import Permission, may
from tenants.scoping import scope_is_open, tenant_scope
from tenants.services.keys import note_use


class _Refused(Exception):
    """Carries a refusal out of the scope, so that its transaction is rolled back."""

    def __init__(self, response: HttpResponseBase) -> None:
        self.response = response


class _AlwaysJson(BaseContentNegotiation):
    """Whatever `Accept` says: there is one representation, and errors must always arrive."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


class ApiView(APIView):
    """One operation, or a few on one address, inside the caller's tenant."""

    content_negotiation_class = _AlwaysJson
    parser_classes = [StrictJsonParser]
    metadata_class = None
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]

    @abstractmethod
    def find_tenant(self, request: HttpRequest) -> UUID | None:
        """The tenant that the credentials claim; authentication verifies it inside the scope."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            tenant_id = self.find_tenant(request)
            with tenant_scope(tenant_id) if tenant_id else nullcontext():
                return _or_refused(super().dispatch(request, *args, **kwargs))
        except _Refused as refused:
            return refused.response
        except (DeskError, OperationalError, InterfaceError) as error:
            # Before the view or after it: the scope could not open, or not commit.
            return problems.answer(error)

    @property
    def http(self) -> HttpRequest:
        """Django's request behind DRF's."""
        request: HttpRequest = self.request._request  # noqa: SLF001 - DRF has no other name for it
        return request

    def payload(self, serializer_class: type[Serializer[Any]]) -> dict[str, Any]:
        """The validated body. Call it after the owner is checked."""
        data = read_json(self.http)
        return _validated(serializer_class(data=data), data, "field")

    def query(self, serializer_class: type[Serializer[Any]]) -> dict[str, Any]:
        """The validated query; an empty value counts as not given."""
        given = {key: value for key, value in self.request.GET.items() if value}
        return _validated(serializer_class(data=given), self.request.GET, "parameter")


class MemberAuthentication(BaseAuthentication):
    """An API key, or the web admin's login session with its CSRF token."""

    def authenticate(self, request: Request) -> tuple[Member, None]:
        return member_of_request(request._request), None  # noqa: SLF001 - DRF has no other name

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class MemberApiView(ApiView):
    """For members. `permissions` names what each method needs; reading needs READ."""

    authentication_classes = [MemberAuthentication]
    permissions: ClassVar[Mapping[str, Permission]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        unsafe = {"POST", "PUT", "PATCH", "DELETE"}
        missing = {name for name in unsafe if hasattr(cls, name.lower())} - set(cls.permissions)
        if missing:
            raise TypeError(f"{cls.__name__}.permissions does not say who may {missing}.")

    def find_tenant(self, request: HttpRequest) -> UUID | None:
        return tenant_of_member(request)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.member = cast("Member", request.user)
        if not may(self.member, self.permissions.get(request.method or "", Permission.READ)):
            raise Forbidden


def _or_refused(response: HttpResponseBase) -> HttpResponseBase:
    if response.status_code >= 400:
        raise _Refused(response)
    return response


def bearer(request: HttpRequest) -> str | None:
    """The token of the Authorization header; never one in a URL."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def tenant_of_member(request: HttpRequest) -> UUID | None:
    """The tenant that the key names or that the login session is in; verified later."""
    token = bearer(request)
    if token is not None:
        return parse_token(token, API_KEY)
    try:
        found = member_by_session(request)
    except NotFound:
        return None
    return found[0] if found else None


def member_of_request(request: HttpRequest) -> Member:
    """Who calls; inside the scope of `tenant_of_member`, which there is none for a stranger."""
    if not scope_is_open():
        raise Unauthenticated
    token = bearer(request)
    member = member_for_api_key(token) if token is not None else _member_of_session(request)
    if not member.tenant.is_active:
        raise Suspended
    if token is not None:
        note_use(token)
    return member


def _member_of_session(request: HttpRequest) -> Member:
    found = member_by_session(request)
    if found is None:
        raise Unauthenticated
    _enforce_csrf(request)
    _, admit = found
    return admit()


def _enforce_csrf(request: HttpRequest) -> None:
    check = CSRFCheck(_no_view)
    check.process_request(request)
    if reason := check.process_view(request, _no_view, (), {}):
        raise Forbidden(f"The page's CSRF token is missing or old. Reload the page. ({reason})")


def _no_view(_request: HttpRequest, *_: Any, **__: Any) -> HttpResponseBase:
    return HttpResponse()


def _validated(
    serializer: BaseSerializer[Any], given: Mapping[str, Any], what: str
) -> dict[str, Any]:
    refuse_unknown(given, serializer.fields, what)  # type: ignore[attr-defined]
    serializer.is_valid(raise_exception=True)
    validated: dict[str, Any] = serializer.validated_data
    return validated
