"""What the agent's tools may do, and when it must ask."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from agents.console.forms import Asking, ToolRuleForm
from agents.services.profiles import current_profile
from agents.services.tools import AS_THE_TOOL_SAYS, ToolRule, rule_of, set_tool_rule, tool_rules
from tenants.console import pages
from tenants.errors import NotFound
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission

if TYPE_CHECKING:
    from agents.runtime.tools.registry import ToolFacts


@member_required(Permission.AGENT_SETTINGS)
@require_safe
def tools(request: MemberRequest) -> HttpResponse:
    rules, profile = tool_rules(), current_profile()
    offered = set(profile.tools) if profile else set()
    rows = [
        _row(request, facts, rules.get(name, AS_THE_TOOL_SAYS), offered=name in offered)
        for name, facts in _catalogue().items()
    ]
    return pages.table(
        request,
        active="tools",
        title=_("Tools"),
        lede=_("What the AI agent can do, when it must ask one of you first, and how often."),
        columns=pages.columns(_("Tool"), _("Use"), _("Asks a teammate"), _("Limits")),
        rows=rows,
    )


@member_required(Permission.AGENT_SETTINGS)
@require_http_methods(["GET", "POST"])
def tool(request: MemberRequest, name: str) -> HttpResponse:
    facts = _catalogue().get(name)
    if facts is None:
        raise NotFound
    form = ToolRuleForm(
        request.POST or None, initial=asdict(rule_of(name)), arguments=facts.arguments
    )
    if form.is_valid():
        set_tool_rule(name, ToolRule(**form.cleaned_data), by=request.member)
        return pages.done(request, _("Saved. It holds from the next answer on."), "agents:tools")
    return pages.form_page(
        request,
        form,
        active="tools",
        title=name,
        lede=f"{facts.description} {_asks_by_itself(facts)}",
        submit_label=_("Save"),
        cancel_url=reverse("agents:tools", args=[request.tenant.slug]),
    )


def _catalogue() -> dict[str, "ToolFacts"]:
    # Tools bring the agent's framework along: a web process pays for it when it shows this page.
    from agents.runtime.tools.own import whole_catalogue  # noqa: PLC0415 - see above

    return whole_catalogue()


def _row(
    request: MemberRequest, facts: "ToolFacts", rule: ToolRule, *, offered: bool
) -> pages.Context:
    url = reverse("agents:tool", args=[request.tenant.slug, facts.name])
    cells = [
        pages.cell(facts.name, url=url, hint=facts.description),
        _use(facts, rule, offered=offered),
        pages.cell(_asking(facts, rule)),
        pages.cell(_limits(facts, rule)),
    ]
    return pages.row(cells, [{"label": _("Change"), "url": url}])


def _use(facts: "ToolFacts", rule: ToolRule, *, offered: bool) -> pages.Context:
    if facts.is_off or not rule.enabled:
        return pages.cell(_("Switched off"), kind="badge", tone="warning")
    if offered:
        return pages.cell(_("In use"), kind="badge", tone="success")
    return pages.cell(_("Not offered"), kind="badge")


def _asking(facts: "ToolFacts", rule: ToolRule) -> str:
    if rule.approval == Asking.ABOVE:
        return _("{argument} above {sum}").format(
            argument=rule.threshold_argument, sum=rule.threshold
        )
    asks = {Asking.ALWAYS: True, Asking.NEVER: False}.get(Asking(rule.approval), facts.asks)
    return _("Always") if asks else _("Never")


def _limits(facts: "ToolFacts", rule: ToolRule) -> str:
    limits = {
        _("verified customers only"): rule.needs_verified or facts.needs_verified,
        _("{n} for one answer").format(n=rule.per_turn): rule.per_turn is not None,
        _("{n} in one day").format(n=rule.per_day): rule.per_day is not None,
    }
    return ", ".join(text for text, holds in limits.items() if holds) or "–"


def _asks_by_itself(facts: "ToolFacts") -> str:
    return (
        _("Left to itself, it asks first.") if facts.asks else _("Left to itself, it does not ask.")
    )
