"""The one translation of a refusal into RFC 9457 problem details, for every way in."""

from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.template import loader
from django.views import defaults
from rest_framework import exceptions as drf
from rest_framework.response import Response

from tenants import errors

MEDIA_TYPE = "application/problem+json"
API_PATHS = ("/api/", "/widget/v1/")
LARGEST_BODY = "A request body may hold 256 KB at most."


def desk_error(error: Exception) -> errors.DeskError | None:
    """The refusal that `error` stands for; None for what nobody anticipated."""
    if isinstance(error, errors.DeskError):
        return error
    for kinds, translate in _TRANSLATIONS:
        if isinstance(error, kinds):
            known: errors.DeskError = translate(error)
            return known
    return None


def body(error: errors.DeskError) -> dict[str, Any]:
    problem = {
        "type": f"/api/docs/#{error.code}",
        "title": error.title,
        "status": error.status,
        "detail": error.detail,
        "code": error.code,
    }
    if error.errors:
        problem["errors"] = error.errors
    return problem | error.extra


def headers(error: errors.DeskError) -> dict[str, str]:
    if error.status == 401:
        return {"WWW-Authenticate": "Bearer"}
    if "retry_after" in error.extra:
        return {"Retry-After": str(error.extra["retry_after"])}
    return {}


def answer(error: Exception) -> HttpResponse:
    """For views that DRF does not run. Raises again what nobody anticipated."""
    known = desk_error(error)
    if known is None:
        raise error
    return JsonResponse(
        body(known),
        status=known.status,
        content_type=MEDIA_TYPE,
        headers=headers(known),
        # As DRF writes it: the same refusal has the same bytes, whoever found it.
        json_dumps_params={"separators": (",", ":"), "ensure_ascii": False},
    )


def problem_response(error: Exception, _context: dict[str, Any]) -> Response | None:
    """DRF's exception handler."""
    known = desk_error(error)
    if known is None:
        return None
    return Response(
        body(known), status=known.status, content_type=MEDIA_TYPE, headers=headers(known)
    )


# --- what Django itself refuses: problem details for programs, pages for people -------------------


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if not is_api(request):
        return defaults.bad_request(request, exception)
    return answer(desk_error(exception) or errors.DeskError())


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if not is_api(request):
        return defaults.permission_denied(request, exception)
    return answer(errors.Forbidden())


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if not is_api(request):
        return defaults.page_not_found(request, exception)
    return answer(errors.NotFound())


def failed(request: HttpRequest) -> HttpResponseBase:
    if not is_api(request):
        # Without the context processors: one of them may be what failed.
        nonce = getattr(request, "csp_nonce", "")
        page = loader.get_template("500.html").render({"csp_nonce": nonce})
        return HttpResponse(page, status=500)
    return answer(Failed())


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """Django's own page has a look of its own, which our policy forbids."""
    return forbidden(request, PermissionDenied(reason))


def is_api(request: HttpRequest) -> bool:
    return request.path.startswith(API_PATHS)


class Failed(errors.DeskError):
    """A mistake of ours; the log has it."""

    code = "internal_error"
    status = 500
    title = "Something went wrong on our side"
    detail = "Nothing was half-stored. Try again; if it happens again, tell the desk's operator."


class UnsupportedMediaType(errors.DeskError):
    """A body that is not plain JSON in UTF-8."""

    code = "unsupported_media_type"
    status = 415
    title = "This kind of body is not read"
    detail = "Send JSON in UTF-8, uncompressed, with Content-Type: application/json."


class MethodNotAllowed(errors.DeskError):
    """The address is right, the method is not."""

    code = "method_not_allowed"
    status = 405
    title = "Method not allowed"


class InvalidJson(errors.DeskError):
    """A body that cannot be read."""

    code = "invalid_json"
    title = "The body is not valid JSON"
    detail = "Send one JSON object in UTF-8."


def _validation(error: Any) -> errors.DeskError:
    fields = _by_field(error.detail)
    return errors.InvalidInput("Correct the named fields and send again.", errors=fields)


def _by_field(detail: Any, path: str = "") -> dict[str, list[str]]:
    """Nested complaints by dotted path; what concerns no field stands under `body`."""
    if isinstance(detail, dict):
        found: dict[str, list[str]] = {}
        for key, value in detail.items():
            name = "" if key == "non_field_errors" else str(key)
            found |= _by_field(value, ".".join(filter(None, (path, name))))
        return found
    lines = [str(line) for line in (detail if isinstance(detail, list) else [detail]) if line]
    return {path or "body": lines}


def _too_many(error: Any) -> errors.DeskError:
    seconds = int(error.wait or 1)
    return errors.TooManyRequests(
        f"Please try again in {seconds} seconds.", extra={"retry_after": seconds}
    )


_TRANSLATIONS: tuple[tuple[Any, Any], ...] = (
    (drf.ValidationError, _validation),
    (drf.ParseError, lambda error: InvalidJson()),
    (drf.UnsupportedMediaType, lambda error: UnsupportedMediaType()),
    (
        drf.MethodNotAllowed,
        lambda error: MethodNotAllowed(f"{error.detail} See the Allow header for what does."),
    ),
    (drf.Throttled, _too_many),
    ((drf.NotAuthenticated, drf.AuthenticationFailed), lambda error: errors.Unauthenticated()),
    ((drf.PermissionDenied, PermissionDenied), lambda error: errors.Forbidden()),
    ((drf.NotFound, Http404), lambda error: errors.NotFound()),
    (RequestDataTooBig, lambda error: errors.TooLarge(LARGEST_BODY)),
    (SuspiciousOperation, lambda error: errors.DeskError()),
    ((OperationalError, InterfaceError), lambda error: errors.Unavailable()),
)
