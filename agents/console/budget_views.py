"""The limits of what the agent may use, and the notice when one is reached."""

from typing import Any

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy
from django.views.decorators.http import require_http_methods, require_safe

from agents.services import budgets
from tenants.console import pages
from tenants.console.forms import DeskForm
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission

_NAMES = {
    "turn": lazy("one answer"),
    "conversation": lazy("one conversation"),
    "day": lazy("a day"),
    "month": lazy("a month"),
}

_WRONG = {
    "min_value": lazy("Give 0 or more, or leave it empty for no limit."),
    "max_decimal_places": lazy("Give at most two digits after the point."),
}


class BudgetForm(DeskForm):
    """Empty fields limit nothing."""

    currency = forms.RegexField(
        label=lazy("Currency of the amounts"),
        regex=r"^[A-Z]{3}$",
        help_text=lazy("What models cost in another currency is not counted."),
        error_messages={"invalid": lazy("Give three capital letters, like USD.")},
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for span, name in _NAMES.items():
            self.fields[f"{span}_tokens"] = forms.IntegerField(
                label=_("Tokens for {what}").format(what=name),
                required=False,
                min_value=0,
                max_value=budgets.MOST_TOKENS,
                error_messages=_WRONG,
            )
            self.fields[f"{span}_cost"] = forms.DecimalField(
                label=_("Money for {what}").format(what=name),
                required=False,
                min_value=0,
                max_digits=12,
                decimal_places=2,
                error_messages=_WRONG,
            )


@member_required(Permission.ENDPOINTS)
@require_http_methods(["GET", "POST"])
def budget(request: MemberRequest) -> HttpResponse:
    row = budgets.current_budget()
    initial = {name: getattr(row, name) for name in ("currency", *budgets.LIMITS)}
    form = BudgetForm(request.POST or None, initial=initial)
    if form.is_valid():
        budgets.set_budget(by=request.member, **form.cleaned_data)
        return pages.done(request, _("Saved. It counts from the next answer."), "agents:usage")
    return pages.form_page(
        request,
        form,
        active="usage",
        title=_("Budgets"),
        lede=_("At a limit the AI agent hands the conversation to your team. Empty: no limit."),
        notice=notice(),
        submit_label=_("Save"),
        cancel_url=reverse("agents:usage", args=[request.tenant.slug]),
        pairs=True,
    )


@member_required(Permission.ENDPOINTS)
@require_safe
def budget_notice(request: MemberRequest) -> HttpResponse:
    """For the top of every page of an administrator; empty while something is left."""
    found = notice()
    if found is None:
        return HttpResponse(status=204)
    return render(request, "console/usage/_budget_notice.html", {"notice": found})


def notice() -> dict[str, str] | None:
    """What is used up now, of the day or the month."""
    code = budgets.tenant_limits().reached()
    if code is None:
        return None
    text = {
        "budget_day": _("Today's budget of the AI agent is used up: your team answers."),
        "budget_month": _("This month's budget of the AI agent is used up: your team answers."),
    }[code]
    return {"tone": "warning", "text": text}
