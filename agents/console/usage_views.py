"""Usage and cost, by day, model, purpose and conversation."""

from collections import defaultdict
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from agents.console.chart import Bar, chart
from agents.console.forms import RangeForm
from agents.console.present import money
from agents.models import Api, ModelCall
from agents.selectors.usage import Days, Used, totals
from agents.selectors.usage import usage as used_by
from tenants.console import pages
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission, may

MOST_CONVERSATIONS = 20
Context = dict[str, Any]


@member_required(Permission.READ)
@require_safe
def usage(request: MemberRequest) -> HttpResponse:
    form = RangeForm(request.GET)
    days = Days(*form.range, zone=request.tenant.zone)
    return render(
        request,
        "console/usage/index.html",
        {
            "active": "usage",
            "actions": _actions(request),
            "filter_form": form,
            "zone": days.zone.key,
            "totals": _totals(totals(days)),
            "chart": _chart(days),
            "tables": [_by_model(days), _by_purpose(days), _by_conversation(request, days)],
        },
    )


def _actions(request: MemberRequest) -> list[Context]:
    if not may(request.member, Permission.ENDPOINTS):
        return []
    url = reverse("agents:budget", args=[request.tenant.slug])
    return [{"label": _("Budgets"), "url": url}]


def _totals(sums: list[Used]) -> list[Context]:
    calls = sum(used.calls for used in sums)
    failed = sum(used.failed_calls for used in sums)
    aside = _("{n} of them failed").format(n=f"{failed:,}") if failed else ""
    costs = [{"label": _("Cost"), "value": money(used.cost, used.currency)} for used in sums]
    return [
        *(costs or [{"label": _("Cost"), "value": "0"}]),
        {"label": _("Requests to a model"), "value": f"{calls:,}", "aside": aside},
        {"label": _("Tokens in"), "value": f"{sum(used.input_tokens for used in sums):,}"},
        {"label": _("Tokens out"), "value": f"{sum(used.output_tokens for used in sums):,}"},
    ]


def _chart(days: Days) -> Context:
    rows = used_by(days, by="day")
    bars: dict[Any, Bar] = defaultdict(lambda: Bar(0))
    for used in rows:
        before = bars[used.key]
        bars[used.key] = Bar(before.value + used.tokens, before.failed + used.failed_tokens)
    named = [_row(used, pages.cell(formats.date_format(used.key, "D j M Y"))) for used in rows]
    title = _("Tokens by day")
    return chart(days.each(), bars) | {"title": title, **_columns(_("Day")), "rows": named}


def _by_model(days: Days) -> Context:
    rows = [
        _row(used, pages.cell(used.key, hint=_protocol(used))) for used in used_by(days, by="model")
    ]
    return _table(_("By model"), _("Model"), rows)


def _by_purpose(days: Days) -> Context:
    names = dict(ModelCall.Purpose.choices)
    used = used_by(days, by="purpose")
    rows = [_row(one, pages.cell(names.get(one.key, one.key), hint=_name(one))) for one in used]
    return _table(_("By purpose"), _("Purpose"), rows)


def _protocol(used: Used) -> str:
    return "" if used.label == used.key else str(dict(Api.choices).get(used.label, used.label))


def _name(used: Used) -> str:
    """Whose calls they were, where the purpose does not say it."""
    return "" if used.label == used.key else used.label


def _by_conversation(request: MemberRequest, days: Days) -> Context:
    used = used_by(days, by="conversation", limit=MOST_CONVERSATIONS)
    rows = [_row(one, _talk(request, one)) for one in used]
    title = _("By conversation, the {n} dearest").format(n=MOST_CONVERSATIONS)
    return _table(title, _("Conversation"), rows)


def _talk(request: MemberRequest, used: Used) -> Context:
    if used.key is None:
        return pages.cell(_("Outside conversations"))
    if not used.label:
        return pages.cell(_("Erased, or not readable"), hint=used.key)
    url = reverse("conversations:thread", args=[request.tenant.slug, used.key])
    return pages.cell(used.label, url=url)


def _table(title: str, key: str, rows: list[Context]) -> Context:
    return {"title": title, **_columns(key), "rows": rows}


def _columns(key: str) -> Context:
    numbers = pages.columns(_("Requests"), _("Failed"), _("Tokens in"), _("Tokens out"), _("Cost"))
    return {"columns": [*pages.columns(key), *(one | {"kind": "number"} for one in numbers)]}


def _row(used: Used, name: Context) -> Context:
    numbers = [used.calls, used.failed_calls, used.input_tokens, used.output_tokens]
    cells = [pages.cell(f"{number:,}", kind="number") for number in numbers]
    return {"cells": [name, *cells, pages.cell(money(used.cost, used.currency), kind="number")]}
