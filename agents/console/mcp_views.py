"""MCP servers: listed, set, their tools read and shown before any agent has them."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.access import mcp_server_for_member
from agents.console import agent_pages
from agents.console.http_tool_forms import McpForm
from agents.models import McpServer
from agents.selectors.mcp import mcp_servers
from agents.services import mcp as services
from tenants.console import pages
from tenants.errors import DeskError, NotFound
from tenants.gates.members import MemberRequest, member_outside_required, member_required
from tenants.permissions import Permission

Context = dict[str, Any]


@member_required(Permission.AGENT_SETTINGS)
@require_safe
def servers(request: MemberRequest) -> HttpResponse:
    add = {"label": _("Add a server"), "url": _url(request, "add-mcp-server"), "icon": "plus"}
    return pages.table(
        request,
        **agent_pages.frame(request, agent_pages.SERVERS),
        title=_("MCP servers"),
        lede=_(
            "Servers that bring tools of their own. Read a server's tools, look at them, then tick"
            " them on the agent's page. What a server changes later reaches nobody before you read"
            " it anew."
        ),
        actions=[add | {"tone": "primary"}],
        columns=pages.columns(_("Name"), _("Tools"), _("Read"), _("Rules"), _("Use")),
        rows=[_row(request, server) for server in mcp_servers()],
        empty={"title": _("No server yet"), "text": _("Add one to give the agent its tools.")}
        | {"action": add},
    )


@member_required(Permission.AGENT_SETTINGS)
@require_http_methods(["GET", "POST"])
def add_server(request: MemberRequest) -> HttpResponse:
    initial = {"needs_approval": True, "enabled": True}
    form = McpForm(request.POST or None, initial=initial, has_headers=False)
    if form.is_valid():
        try:
            services.add_server(form.values, headers=form.new_headers or {}, by=request.member)
        except DeskError as error:
            form.refuse(error)
        else:
            return pages.done(request, _("Added. Now read its tools."), "agents:mcp-servers")
    return _form(request, form, title=_("Add a server"), submit_label=_("Add"))


@member_required(Permission.AGENT_SETTINGS)
@require_http_methods(["GET", "POST"])
def server(request: MemberRequest, server_id: UUID) -> HttpResponse:
    row = mcp_server_for_member(request.member, server_id)
    initial = {name: getattr(row, name) for name in services.McpValues.__dataclass_fields__}
    has_headers = bool(row.headers_encrypted)
    form = McpForm(request.POST or None, initial=initial, has_headers=has_headers)
    if form.is_valid():
        try:
            services.change_server(row, form.values, headers=form.new_headers, by=request.member)
        except DeskError as error:
            form.refuse(error)
        else:
            text = _("Saved. It holds from the next answer on.")
            return pages.done(request, text, "agents:mcp-servers")
    acts = _acts(request, row)
    return _form(request, form, title=row.name, submit_label=_("Save"), actions=acts)


@member_outside_required(Permission.AGENT_SETTINGS)
@require_POST
def read_tools(request: MemberRequest, server_id: UUID) -> HttpResponse:
    """Waits for the server, so it holds no transaction."""
    # The framework behind it costs a web process 28 MB: only where it is needed.
    from agents.runtime import mcp  # noqa: PLC0415

    try:
        count = mcp.read_tools(request.member, server_id)
    except NotFound:
        raise
    except DeskError as fault:
        messages.error(request, fault.detail)
    else:
        messages.success(request, _("{n} tools were read. Look at them.").format(n=count))
    return redirect("agents:mcp-servers", request.tenant.slug)


@member_required(Permission.AGENT_SETTINGS)
@require_POST
def delete_server(request: MemberRequest, server_id: UUID) -> HttpResponse:
    services.delete_server(mcp_server_for_member(request.member, server_id), by=request.member)
    text = _("Deleted. The agent has its tools no more.")
    return pages.done(request, text, "agents:mcp-servers")


def _row(request: MemberRequest, row: McpServer) -> Context:
    about = "; ".join(f"{tool['name']}: {tool['description']}" for tool in row.tools)
    asks = _("a teammate approves each call") if row.needs_approval else _("trusted")
    return pages.row(
        [
            pages.cell(row.name, url=_url(request, "mcp-server", row.id), hint=row.url),
            pages.cell(len(row.tools), hint=about),
            pages.cell(row.tools_read_at, kind="time"),
            pages.cell(asks),
            pages.switched(on=row.enabled),
        ],
        _acts(request, row),
    )


def _acts(request: MemberRequest, row: McpServer) -> list[Context]:
    read = {"label": _("Read its tools"), "url": _url(request, "read-mcp-tools", row.id)}
    confirm = _("Delete this server? Versions of the agent go on without its tools.")
    delete = {"label": _("Delete"), "url": _url(request, "delete-mcp-server", row.id)}
    rules = {"label": _("Rules"), "url": _url(request, "tools")}
    return [read | {"method": "post"}, rules, delete | {"method": "post", "confirm": confirm}]


def _form(request: MemberRequest, form: McpForm, **context: Any) -> HttpResponse:
    context |= agent_pages.frame(request, agent_pages.SERVERS)
    context["cancel_url"] = _url(request, "mcp-servers")
    return pages.form_page(request, form, **context)


def _url(request: MemberRequest, name: str, *ids: UUID) -> str:
    return reverse(f"agents:{name}", args=[request.tenant.slug, *ids])
