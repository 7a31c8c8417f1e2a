"""The record's codes as sentences. A code without one is shown as words of its own."""

from functools import cache
from typing import Any

from django.apps import apps
from django.utils.dateparse import parse_datetime
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _

from tenants.console.audit_did import DID
from tenants.models import Actor, AuditEntry, VisitReason


def did(action: str) -> str:
    """What was done, to stand after who did it."""
    return str(DID.get(action) or action.replace(".", " · ").replace("_", " "))


def who(entry: AuditEntry, names: dict[Any, str]) -> str:
    """A teammate by name, also one who left; everybody else by what they are."""
    name = names.get(entry.actor_id)
    if entry.actor_kind == Actor.MEMBER:
        return name or str(_("A former teammate"))
    kind = entry.get_actor_kind_display()
    return f"{kind}: {entry.actor_code.replace('_', ' ')}" if entry.actor_code else kind


def detail(entry: AuditEntry) -> str:
    """The figures and codes of the entry, in one line."""
    return "; ".join(f"{_plain(name)}: {_value(name, v)}" for name, v in entry.detail.items())


def target(entry: AuditEntry, names: dict[Any, str]) -> str:
    name = names.get(entry.target_id) if entry.target_kind == "member" else None
    return name or _thing(entry.target_kind)


@cache
def _thing(kind: str) -> str:
    """A table by the name of its rows; a page by its own."""
    named = (model._meta for model in apps.get_models() if model._meta.model_name == kind)
    return next((str(about.verbose_name) for about in named), _plain(kind))


def _plain(code: str) -> str:
    return code.replace("_", " ")


def why_staff_came(reason: str) -> str:
    """The reason of a visit, as the workspace reads it."""
    if reason == VisitReason.SUPPORT:
        return str(_("Your team asked for help"))
    return str(VisitReason(reason).label)


def _value(name: str, value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(str(one) for one in value)
    if isinstance(value, dict):
        return ", ".join(f"{_plain(key)} {inner}" for key, inner in value.items())
    if name == "reason" and value in VisitReason.values:
        return why_staff_came(value)
    return _moment(value) if isinstance(value, str) else str(value)


def _moment(text: str) -> str:
    """A time in the tenant's zone; any other text as it is."""
    at = parse_datetime(text) if text[:2] == "20" else None
    return f"{localtime(at):%Y-%m-%d %H:%M}" if at and at.tzinfo else text
