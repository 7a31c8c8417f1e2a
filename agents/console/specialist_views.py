"""Specialists: agents that the tenant's agent asks."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.access import specialist_for_member
from agents.console import agent_pages
from agents.console.specialist_forms import SpecialistForm
from agents.models import Specialist
from agents.selectors import endpoints as endpoint_selectors
from agents.selectors import specialists as selectors
from agents.services import specialists as services
from tenants.console import pages
from tenants.errors import DeskError
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission

Context = dict[str, Any]


@member_required(Permission.AGENT_SETTINGS)
@require_safe
def specialists(request: MemberRequest) -> HttpResponse:
    add = {"label": _("Add a specialist"), "url": _url(request, "add-specialist"), "icon": "plus"}
    return pages.table(
        request,
        **agent_pages.frame(request, agent_pages.SPECIALISTS),
        title=_("Specialists"),
        lede=_(
            "Agents that your agent asks, each with its own instructions, model and tools. Tick one"
            " on the agent's page to let it be asked."
        ),
        actions=[add | {"tone": "primary"}],
        columns=pages.columns(_("Name"), _("Model"), _("Tools"), _("Version"), _("Use")),
        rows=[_row(request, row) for row in selectors.specialists()],
        empty={"title": _("No specialist yet"), "text": _("Your agent answers alone.")}
        | {"action": add},
    )


@member_required(Permission.AGENT_SETTINGS)
@require_http_methods(["GET", "POST"])
def add_specialist(request: MemberRequest) -> HttpResponse:
    form, names = _form(request, None)
    if form.is_valid():
        try:
            services.add_specialist(
                form.values,
                endpoint=form.endpoint_row,
                taken=_taken(),
                tools=names,
                by=request.member,
            )
        except DeskError as error:
            form.refuse(error)
        else:
            text = _("Added. Tick it on the agent's page, try it in the playground, then publish.")
            return pages.done(request, text, "agents:specialists")
    return _page(request, form, _("Add a specialist"), _("Add"))


@member_required(Permission.AGENT_SETTINGS)
@require_http_methods(["GET", "POST"])
def specialist(request: MemberRequest, specialist_id: UUID) -> HttpResponse:
    """The form of the version that answers; an older one is only read."""
    row = specialist_for_member(request.member, specialist_id)
    if row.retired_at is not None:
        return _read(request, row)
    form, names = _form(request, row)
    if form.is_valid():
        try:
            services.change_specialist(
                row, form.values, endpoint=form.endpoint_row, tools=names, by=request.member
            )
        except DeskError as error:
            form.refuse(error)
        else:
            text = _("Saved as a new version. It answers from the next question on.")
            return pages.done(request, text, "agents:specialists")
    return _page(request, form, row.name, _("Save"), actions=[_delete(request, row)])


@member_required(Permission.AGENT_SETTINGS)
@require_POST
def delete_specialist(request: MemberRequest, specialist_id: UUID) -> HttpResponse:
    row = specialist_for_member(request.member, specialist_id)
    return pages.attempt(
        request,
        lambda: services.delete_specialist(row, by=request.member),
        _("Deleted. Your agent asks it no more."),
        "agents:specialists",
    )


def _form(request: MemberRequest, row: Specialist | None) -> tuple[SpecialistForm, list[str]]:
    """With the names of the tools that a specialist may be given."""
    # The framework behind the tools costs a web process 28 MB: only where it is needed.
    from agents.runtime.tools.offered import specialist_choices  # noqa: PLC0415

    tools = specialist_choices()
    endpoints = [listed.endpoint for listed in endpoint_selectors.endpoints()]
    form = SpecialistForm(request.POST or None, row=row, endpoints=endpoints, tools=tools)
    return form, [name for name, _about in tools]


def _taken() -> set[str]:
    from agents.runtime.tools.offered import (  # noqa: PLC0415 - see above
        configured_names,
        tool_choices,
    )

    return {*configured_names(), *(name for name, _about in tool_choices())}


def _row(request: MemberRequest, row: Specialist) -> Context:
    return pages.row(
        [
            pages.cell(row.name, url=_url(request, "specialist", row.id), hint=row.description),
            pages.cell(row.endpoint.name, hint=row.endpoint.own_model),
            pages.cell(", ".join(row.tools) or "–"),
            pages.cell(row.version, kind="number"),
            pages.switched(on=row.enabled),
        ],
        [_delete(request, row)],
    )


def _delete(request: MemberRequest, row: Specialist) -> Context:
    confirm = _("Delete this specialist? Turns that asked it still show what it was.")
    url = _url(request, "delete-specialist", row.id)
    return {"label": _("Delete"), "url": url, "method": "post", "confirm": confirm}


def _page(
    request: MemberRequest, form: SpecialistForm, title: str, submit: str, **context: Any
) -> HttpResponse:
    return pages.form_page(
        request,
        form,
        **agent_pages.frame(request, agent_pages.SPECIALISTS),
        title=title,
        submit_label=submit,
        cancel_url=_url(request, "specialists"),
        **context,
    )


def _read(request: MemberRequest, row: Specialist) -> HttpResponse:
    context = {
        **agent_pages.frame(request, agent_pages.SPECIALISTS),
        "title": _("{name}, version {n}").format(name=row.name, n=row.version),
        "facts": _facts(row),
        "instructions": row.instructions,
        "before": None,
        "lines": [],
    }
    return render(request, "console/agent/version.html", context)


def _facts(row: Specialist) -> list[Context]:
    shown = [
        (_("When to ask it"), pages.cell(row.description)),
        (_("Model"), pages.cell(row.endpoint.name, hint=row.endpoint.own_model)),
        (_("Tools"), pages.cell(", ".join(row.tools) or "–")),
        (_("Steps of one answer at most"), pages.cell(row.max_steps)),
        (_("Seconds for one answer at most"), pages.cell(row.seconds)),
        (_("Written"), pages.cell(row.created_at, kind="time")),
        (_("Replaced"), pages.cell(row.retired_at, kind="time")),
    ]
    return [{"label": label, "cell": cell} for label, cell in shown]


def _url(request: MemberRequest, name: str, *ids: UUID) -> str:
    return reverse(f"agents:{name}", args=[request.tenant.slug, *ids])
