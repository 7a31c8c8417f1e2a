"""What every page's template may use."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def page(request: HttpRequest) -> dict[str, Any]:
    return {"csp_nonce": getattr(request, "csp_nonce", ""), "demo": settings.DEMO}
