"""One stored turn beside what another version of the agent would say."""

from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from agents.console.present import money
from tenants.errors import DeskError, NotFound
from tenants.gates.members import MemberRequest, member_outside_required
from tenants.permissions import Permission


class VersionForm(forms.Form):
    """A version by its id; empty is the draft."""

    version = forms.UUIDField(required=False)


@member_outside_required(Permission.AGENT_SETTINGS)
@require_http_methods(["GET", "POST"])
def compare_turn(request: MemberRequest, turn_id: UUID) -> HttpResponse:
    # The framework behind it costs a web process 28 MB: only where it is needed.
    from agents.runtime import compare, playground  # noqa: PLC0415

    stored = compare.stored_turn(request.member, turn_id)
    form = VersionForm(request.POST)
    version = form.cleaned_data["version"] if form.is_valid() else None
    context: dict[str, Any] = {
        "active": "inbox",
        "turn": stored.turn,
        "answer": stored.answer,
        "versions": playground.versions_to_try(request.member),
        "version": str(version or ""),
    }
    if request.method == "POST":
        try:
            trial = compare.compare(request.member, stored, version)
            spent = money(trial.cost, trial.calls[0].currency) if trial.calls else ""
            context |= {
                "trial": trial,
                "money": spent,
                "seconds": trial.milliseconds / 1000,
                "input_tokens": sum(call.input_tokens for call in trial.calls),
                "output_tokens": sum(call.output_tokens for call in trial.calls),
            }
        except NotFound:
            raise
        except DeskError as error:
            context["problem"] = error.detail
    return render(request, "console/turns/compare.html", context)
