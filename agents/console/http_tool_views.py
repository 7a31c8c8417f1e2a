"""Tools by configuration: the tenant's own servers as tools of its agent."""

import json
from dataclasses import fields
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.access import http_tool_for_member
from agents.console import agent_pages
from agents.console.http_tool_forms import EXAMPLE, HttpToolForm
from agents.models import HttpTool
from agents.selectors import http_tools as selectors
from agents.services import http_tools as services
from tenants.console import pages
from tenants.errors import DeskError
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission

Context = dict[str, Any]
_NEW = {"schema": json.dumps(EXAMPLE, indent=2), "response_limit": 32_768, "enabled": True}


@member_required(Permission.AGENT_SETTINGS)
@require_safe
def http_tools(request: MemberRequest) -> HttpResponse:
    add = {"label": _("Add a tool"), "url": _url(request, "add-http-tool"), "icon": "plus"}
    return pages.table(
        request,
        **agent_pages.frame(request, agent_pages.OWN_TOOLS),
        title=_("Your own tools"),
        lede=_("Requests to your own servers. Tick a tool on the agent's page to let it be used."),
        actions=[add | {"tone": "primary"}],
        columns=pages.columns(_("Name"), _("Request"), _("Headers"), _("Rules"), _("Use")),
        rows=[_row(request, tool) for tool in selectors.http_tools()],
        empty={"title": _("No tool yet"), "text": _("Add one to let the agent ask your servers.")}
        | {"action": add},
    )


@member_required(Permission.AGENT_SETTINGS)
@require_http_methods(["GET", "POST"])
def add_http_tool(request: MemberRequest) -> HttpResponse:
    form = HttpToolForm(request.POST or None, initial=_NEW, has_headers=False)
    if form.is_valid():
        try:
            services.add_http_tool(
                form.values, headers=form.new_headers or {}, taken=_built_in(), by=request.member
            )
        except DeskError as error:
            form.refuse(error)
        else:
            text = _("Added. Tick it on the agent's page, try it in the playground, then publish.")
            return pages.done(request, text, "agents:http-tools")
    return _form(request, form, _("Add a tool"), _("Add"))


@member_required(Permission.AGENT_SETTINGS)
@require_http_methods(["GET", "POST"])
def http_tool(request: MemberRequest, tool_id: UUID) -> HttpResponse:
    row = http_tool_for_member(request.member, tool_id)
    has_headers = bool(row.headers_encrypted)
    form = HttpToolForm(request.POST or None, initial=_values(row), has_headers=has_headers)
    if form.is_valid():
        try:
            services.change_http_tool(
                row, form.values, headers=form.new_headers, taken=_built_in(), by=request.member
            )
        except DeskError as error:
            form.refuse(error)
        else:
            text = _("Saved. It holds from the next answer on.")
            return pages.done(request, text, "agents:http-tools")
    return _form(
        request, form, row.name, _("Save"), actions=[_rule(request, row), _delete(request, row)]
    )


@member_required(Permission.AGENT_SETTINGS)
@require_POST
def delete_http_tool(request: MemberRequest, tool_id: UUID) -> HttpResponse:
    services.delete_http_tool(http_tool_for_member(request.member, tool_id), by=request.member)
    return pages.done(request, _("Deleted. The agent has it no more."), "agents:http-tools")


def _built_in() -> set[str]:
    # The framework behind the tools costs a web process 28 MB: only where it is needed.
    from agents.runtime.tools.offered import tool_choices  # noqa: PLC0415

    return {name for name, _about in tool_choices()}


def _row(request: MemberRequest, tool: HttpTool) -> Context:
    rules = [
        label
        for label, holds in (
            (_("a teammate approves"), tool.needs_approval),
            (_("verified customers only"), tool.needs_verified),
        )
        if holds
    ]
    return pages.row(
        [
            pages.cell(tool.name, url=_url(request, "http-tool", tool.id), hint=tool.description),
            pages.cell(f"{tool.method} {tool.url}", kind="code"),
            pages.cell(_("Stored") if tool.headers_encrypted else "–"),
            pages.cell(", ".join(rules) or "–"),
            pages.switched(on=tool.enabled),
        ],
        [_rule(request, tool), _delete(request, tool)],
    )


def _rule(request: MemberRequest, tool: HttpTool) -> Context:
    url = reverse("agents:tool", args=[request.tenant.slug, tool.name])
    return {"label": _("Rule"), "url": url}


def _delete(request: MemberRequest, tool: HttpTool) -> Context:
    confirm = _("Delete this tool? Versions of the agent that name it go on without it.")
    url = _url(request, "delete-http-tool", tool.id)
    return {"label": _("Delete"), "url": url, "method": "post", "confirm": confirm}


def _form(
    request: MemberRequest, form: HttpToolForm, title: str, submit: str, **context: Any
) -> HttpResponse:
    cancel = _url(request, "http-tools")
    return pages.form_page(
        request,
        form,
        **agent_pages.frame(request, agent_pages.OWN_TOOLS),
        title=title,
        submit_label=submit,
        cancel_url=cancel,
        **context,
    )


def _values(row: HttpTool) -> Context:
    values = {each.name: getattr(row, each.name) for each in fields(services.HttpToolValues)}
    return {**values, "schema": json.dumps(row.schema, indent=2, ensure_ascii=False)}


def _url(request: MemberRequest, name: str, *ids: UUID) -> str:
    return reverse(f"agents:{name}", args=[request.tenant.slug, *ids])
