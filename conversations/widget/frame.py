"""The page inside the widget's iframe, and the script that opens it. No row is written here."""

from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from tenants.access import widget_key
from tenants.crypto import WIDGET_KEY, parse_token
from tenants.errors import DeskError, NotFound
from tenants.scoping import tenant_scope

_POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self'; connect-src 'self';"
    " img-src 'self' blob:; font-src 'self'; base-uri 'none'; form-action 'none';"
    " require-trusted-types-for 'script'; trusted-types turnstone; frame-ancestors "
)
_LOADER = Path(settings.BASE_DIR) / "static" / "widget" / "loader.js"


@require_safe
@xframe_options_exempt
def frame(request: HttpRequest) -> HttpResponse:
    """The chat itself; only the key's own origins may frame it."""
    key = request.GET.get("key", "")
    try:
        origins = _origins_of(key)
    except DeskError as error:
        raise Http404(error.detail) from error
    response = render(request, "widget/frame.html", {"widget_key": key})
    response["Content-Security-Policy"] = _POLICY + " ".join(["'self'", *origins])
    return response


@require_safe
@cache_control(public=True, max_age=300)
def loader(request: HttpRequest) -> HttpResponse:
    """A stable address for the script that websites embed; it changes with the desk."""
    return HttpResponse(_LOADER.read_bytes(), content_type="text/javascript; charset=utf-8")


def _origins_of(key: str) -> list[str]:
    tenant_id = parse_token(key, WIDGET_KEY)
    if tenant_id is None:
        raise NotFound
    with tenant_scope(tenant_id):
        return list(widget_key(key).allowed_origins)
