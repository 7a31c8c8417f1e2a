"""Which of the desk's languages a visitor's browser asks for."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation.trans_real import parse_accept_lang_header


def asked_language(request: HttpRequest) -> str:
    """The first that the desk has; empty when it has none of them."""
    spoken = {code for code, _ in settings.LANGUAGES}
    asked = parse_accept_lang_header(request.headers.get("Accept-Language", "").lower())
    return next((name for tag, _ in asked if (name := tag.split("-")[0]) in spoken), "")
