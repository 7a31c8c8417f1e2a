"""The agent's page: its draft, its versions, what changed between them."""

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.access import profile_for_member
from agents.console import agent_pages
from agents.console.agent_forms import CONTEXT, TOKENIZERS, AgentForm
from agents.console.differences import differences
from agents.models import AgentProfile, OneShot
from agents.selectors import endpoints as endpoint_selectors
from agents.selectors import profiles as selectors
from agents.selectors.http_tools import http_tools
from agents.selectors.mcp import mcp_servers
from agents.selectors.specialists import specialists
from agents.services import profiles as services
from agents.services.mcp import offered_name
from tenants.console import pages
from tenants.errors import DeskError
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission

Context = dict[str, Any]


@member_required(Permission.AGENT_SETTINGS)
@require_http_methods(["GET", "POST"])
def agent(request: MemberRequest) -> HttpResponse:
    """The draft: kept by one button, published by the other."""
    draft = services.current_draft()
    form = _form(request, draft)
    if form.is_valid():
        publish = "publish" in request.POST
        act = services.publish_draft if publish else services.save_draft
        try:
            act(form.settings, endpoint=form.endpoint_row, by=request.member)
        except DeskError as error:
            form.refuse(error)
        else:
            return pages.done(request, _said(publish=publish), "agents:agent")
    status = 422 if form.is_bound and form.errors else 200
    context = _page(request, form, draft)
    return render(request, "console/agent/index.html", context, status=status)


@member_required(Permission.AGENT_SETTINGS)
@require_POST
def discard_draft(request: MemberRequest) -> HttpResponse:
    services.discard_draft(by=request.member)
    return pages.done(request, _("The draft is gone. What is published stays."), "agents:agent")


@member_required(Permission.AGENT_SETTINGS)
@require_safe
def version(request: MemberRequest, profile_id: UUID) -> HttpResponse:
    row = profile_for_member(request.member, profile_id)
    before = selectors.version_before(row)
    context = {
        **agent_pages.frame(request, agent_pages.AGENT),
        "title": _("Version {n}").format(n=row.version),
        "actions": _version_acts(request, row),
        "facts": _facts(row),
        "instructions": row.instructions,
        "before": before,
        "lines": differences(before.instructions, row.instructions) if before else [],
    }
    return render(request, "console/agent/version.html", context)


@member_required(Permission.AGENT_SETTINGS)
@require_POST
def republish(request: MemberRequest, profile_id: UUID) -> HttpResponse:
    row = profile_for_member(request.member, profile_id)
    text = _("Version {n} answers again, under a new number.").format(n=row.version)
    return pages.attempt(
        request, lambda: services.republish(row, by=request.member), text, "agents:agent"
    )


def _form(request: MemberRequest, draft: services.Draft) -> AgentForm:
    # The framework behind the tools costs a web process 28 MB: only where it is needed.
    from agents.runtime.tools.offered import tool_choices  # noqa: PLC0415

    endpoints = [listed.endpoint for listed in endpoint_selectors.endpoints()]
    tools = [*tool_choices(), *_own_tools()]
    return AgentForm(request.POST or None, draft=draft, endpoints=endpoints, tools=tools)


def _own_tools() -> Iterator[tuple[str, str]]:
    """The tenant's own by configuration: tools on its servers, specialists, MCP servers' tools."""
    yield from ((tool.name, tool.description) for tool in http_tools() if tool.enabled)
    for row in specialists():
        if row.enabled:
            yield row.name, _("A specialist. {about}").format(about=row.description)
    for server in mcp_servers():
        for tool in server.tools if server.enabled else ():
            yield offered_name(server.name, tool["name"]), tool["description"]


def _said(*, publish: bool) -> str:
    if publish:
        return _("Published. It answers from the next turn on.")
    return _("The draft is kept. Try it in the playground, then publish it.")


def _page(request: MemberRequest, form: AgentForm, draft: services.Draft) -> Context:
    now = services.current_profile()
    return {
        **agent_pages.frame(request, agent_pages.AGENT),
        "title": request.tenant.agent_name,
        "form": form,
        "draft": draft,
        "published": now,
        "mode": request.tenant.get_agent_mode_display(),
        "lines": differences(now.instructions, draft.settings.instructions) if now else [],
        "columns": pages.columns(_("Version"), _("Model"), _("Tools"), _("Published"), _("Use")),
        "rows": [_row(request, row) for row in selectors.versions()],
    }


def _row(request: MemberRequest, row: AgentProfile) -> Context:
    use = pages.cell(_("Answers customers"), kind="badge", tone="success")
    return pages.row(
        [
            pages.cell(
                _("Version {n}").format(n=row.version), url=_url(request, "agent-version", row.id)
            ),
            pages.cell(row.endpoint.name),
            pages.cell(", ".join(row.tools) or "–"),
            pages.cell(row.published_at, kind="time"),
            _replaced(row) if row.retired_at else use,
        ],
        _version_acts(request, row),
    )


def _replaced(row: AgentProfile) -> Context:
    when = formats.date_format(timezone.localtime(row.retired_at), "j M Y, H:i")
    return pages.cell(_("Replaced"), hint=when)


def _version_acts(request: MemberRequest, row: AgentProfile) -> list[Context]:
    if row.retired_at is None:
        return []
    confirm = _("Let version {n} answer your customers again?").format(n=row.version)
    url = _url(request, "republish-agent", row.id)
    return [{"label": _("Publish again"), "url": url, "method": "post", "confirm": confirm}]


def _facts(row: AgentProfile) -> list[Context]:
    shown = [
        (_("Model"), pages.cell(row.endpoint.name, hint=row.endpoint.own_model)),
        (_("Tools"), pages.cell(", ".join(row.tools) or "–")),
        (_("Told beside the conversation"), pages.cell(_told(row) or "–")),
        (_("After an answer"), pages.cell(_named(row.one_shots) or "–")),
        (_("Messages that it looks back"), pages.cell(row.window)),
        (_("Tokens that it looks back"), _tokens(row)),
        (_("Sums up the rest"), pages.cell(row.get_sums_up_display())),
        (_("Steps of one answer at most"), pages.cell(row.max_steps)),
        (_("Seconds for one answer at most"), pages.cell(row.turn_seconds)),
        (_("Published"), pages.cell(row.published_at, kind="time")),
    ]
    if row.retired_at:
        shown.append((_("Replaced"), pages.cell(row.retired_at, kind="time")))
    return [{"label": label, "cell": cell} for label, cell in shown]


def _told(row: AgentProfile) -> str:
    return "; ".join(str(CONTEXT.get(name, name)) for name in row.context)


def _tokens(row: AgentProfile) -> Context:
    how = str(TOKENIZERS.get(row.tokenizer, row.tokenizer))
    return pages.cell(f"{row.token_budget:,}", hint=how)


def _named(names: Iterable[str]) -> str:
    return "; ".join(str(shot.label) for shot in OneShot if shot.value in names)


def _url(request: MemberRequest, name: str, *ids: UUID) -> str:
    return reverse(f"agents:{name}", args=[request.tenant.slug, *ids])
