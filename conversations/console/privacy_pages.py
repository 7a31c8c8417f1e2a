"""The frame of the privacy desk: its tabs, around the plain templates."""

from typing import Any

from django.http import HttpResponse
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from tenants.console import pages
from tenants.console.forms import DeskForm
from tenants.gates.members import MemberRequest

DESK, REQUESTS, RETENTION, HOLDS = "desk", "requests", "retention", "holds"
EXPORTS, CERTIFICATES, RECORD = "exports", "certificates", "record"


def table(request: MemberRequest, tab: str, **context: Any) -> HttpResponse:
    return pages.table(request, **frame(request, tab), **context)


def form_page(request: MemberRequest, tab: str, form: DeskForm, **context: Any) -> HttpResponse:
    return pages.form_page(request, form, **frame(request, tab), **context)


def detail(request: MemberRequest, tab: str, **context: Any) -> HttpResponse:
    return pages.detail(request, **frame(request, tab), **context)


def frame(request: MemberRequest, active: str) -> dict[str, Any]:
    """The tabs, for a page with a template of its own."""
    tabs = [
        {"label": label, "url": url, "active": key == active}
        for key, label, url_name in _tabs()
        if (url := _address(request, url_name))
    ]
    return {"active": "privacy", "tabs": tabs, "tabs_label": _("Privacy desk")}


def _tabs() -> list[tuple[str, str, str]]:
    return [
        (DESK, _("What is due"), "conversations:privacy"),
        (REQUESTS, _("Requests"), "conversations:privacy-requests"),
        (RETENTION, _("Retention"), "conversations:privacy-retention"),
        (HOLDS, _("Holds"), "conversations:privacy-holds"),
        (EXPORTS, _("Exports"), "conversations:privacy-exports"),
        (CERTIFICATES, _("Certificates"), "conversations:privacy-certificates"),
        (RECORD, _("Record of processing"), "conversations:privacy-record"),
    ]


def _address(request: MemberRequest, url_name: str) -> str:
    """As on the rail: a tab shows only when its page exists."""
    try:
        return reverse(url_name, args=[request.tenant.slug])
    except NoReverseMatch:
        return ""
