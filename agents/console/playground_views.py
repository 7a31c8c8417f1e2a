"""The playground: a talk with a draft or a version that leaves no trace."""

import json
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django import forms
from django.core import signing
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from agents.console import agent_pages
from agents.console.present import money
from conversations.markup import to_html
from tenants.console.forms import DeskForm
from tenants.errors import DeskError
from tenants.gates.members import MemberRequest, member_outside_required
from tenants.permissions import Permission

if TYPE_CHECKING:
    from agents.runtime.playground import Step, Trial

MOST_ROUNDS = 20
# A form may hold 256 KB.
LARGEST_TALK = 180_000
LIFETIME = 24 * 3600
_SHOWN = 2_000
Context = dict[str, Any]


class Question(DeskForm):
    """What a customer might write."""

    text = forms.CharField(
        label=gettext_lazy("Write as a customer"),
        max_length=2_000,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
    )


@member_outside_required(Permission.AGENT_SETTINGS)
@require_http_methods(["GET", "POST"])
def playground(request: MemberRequest) -> HttpResponse:
    """The talk travels in the page, signed for this member: no server keeps it."""
    # The framework behind it costs a web process 28 MB: only where it is needed.
    from agents.runtime import playground as runtime  # noqa: PLC0415

    asked = request.GET if request.method == "GET" else request.POST
    talk = _talk(request)
    version, verified = _version(asked.get("version", "")), asked.get("verified") == "on"
    form, notice, model = Question(request.POST or None), None, ""
    try:
        facts = runtime.facts_for_trial(request.member, version, verified=verified)
        if form.is_valid() and len(talk["rounds"]) < MOST_ROUNDS:
            text = form.cleaned_data["text"]
            trial = runtime.ask(request.member, facts, text, session=talk["session"])
            talk = _grown(talk, text, trial)
            form = Question()
            # The answer comes in place of the form that was typed in: go on typing there.
            form.fields["text"].widget.attrs["autofocus"] = True
        model = facts.client.model
    except DeskError as error:
        notice = {"tone": "warning", "text": error.detail}
    context = _page(request, form, talk, version=version, verified=verified)
    context |= {"model": model, "notice": notice}
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "console/agent/playground.html", context, status=status)


def _page(
    request: MemberRequest, form: Question, talk: Context, *, version: UUID | None, verified: bool
) -> Context:
    from agents.runtime.playground import versions_to_try  # noqa: PLC0415

    sealed = signing.dumps(talk, salt=_salt(request), compress=True)
    return {
        **agent_pages.frame(request, agent_pages.PLAYGROUND),
        "title": _("Playground"),
        "form": form,
        "versions": versions_to_try(request.member),
        "version": str(version or ""),
        "verified": verified,
        "rounds": [
            {**each, "html": SafeString(to_html(each["answer"]))} for each in talk["rounds"]
        ],
        "talk": sealed,
        "is_full": len(talk["rounds"]) >= MOST_ROUNDS or len(sealed) > LARGEST_TALK,
    }


def _talk(request: MemberRequest) -> Context:
    """The talk so far; a new one for what is missing, old, or not signed for this member."""
    new: Context = {"rounds": [], "session": {}}
    try:
        talk: Context = signing.loads(
            request.POST.get("talk", ""), salt=_salt(request), max_age=LIFETIME
        )
    except signing.BadSignature:
        return new
    return talk


def _salt(request: MemberRequest) -> str:
    return f"playground:{request.tenant.id}:{request.member.id}"


def _version(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _grown(talk: Context, text: str, trial: "Trial") -> Context:
    return {"rounds": [*talk["rounds"], _round(text, trial)], "session": trial.session}


def _round(text: str, trial: "Trial") -> Context:
    currency = trial.calls[0].currency if trial.calls else ""
    return {
        "question": text,
        "answer": trial.text,
        "problem": trial.problem,
        "person": trial.asks_for_person,
        "steps": [_step(step) for step in trial.steps],
        "sources": [source["title"] for source in trial.sources],
        "input_tokens": f"{sum(call.input_tokens for call in trial.calls):,}",
        "output_tokens": f"{sum(call.output_tokens for call in trial.calls):,}",
        "model_calls": len(trial.calls),
        "cost": money(trial.cost, currency) if currency else "",
        "seconds": f"{trial.milliseconds / 1000:.1f}",
    }


def _step(step: "Step") -> Context:
    return {
        "name": step.name,
        "arguments": json.dumps(step.arguments, ensure_ascii=False),
        "result": step.result[:_SHOWN],
        "outcome": step.outcome,
    }
