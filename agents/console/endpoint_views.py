"""The models that the agent may speak to: listed, set, tested, chosen."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.access import endpoint_for_member
from agents.console import agent_pages
from agents.console.endpoint_forms import EndpointForm
from agents.models import Api, History, ModelEndpoint
from agents.selectors import endpoints as selectors
from agents.services import endpoints as services
from tenants.console import pages
from tenants.errors import DeskError
from tenants.gates.members import MemberRequest, member_outside_required, member_required
from tenants.permissions import Permission

if TYPE_CHECKING:
    from agents.runtime.probe import Diagnosis

Context = dict[str, Any]


@member_required(Permission.ENDPOINTS)
@require_safe
def endpoints(request: MemberRequest) -> HttpResponse:
    add = {"label": _("Add a model"), "url": _url(request, "add-endpoint"), "icon": "plus"}
    return pages.table(
        request,
        **agent_pages.frame(request, agent_pages.MODELS),
        title=_("Models"),
        lede=_("Where the agent's answers come from. One of them answers your customers."),
        actions=[add | {"tone": "primary"}],
        columns=pages.columns(_("Name"), _("Protocol"), _("Model"), _("Key"), _("Use")),
        rows=[_row(request, listed) for listed in selectors.endpoints()],
        empty={"title": _("No model yet"), "text": _("Add one; then the agent can answer.")}
        | {"action": add},
    )


@member_required(Permission.ENDPOINTS)
@require_http_methods(["GET", "POST"])
def add_endpoint(request: MemberRequest) -> HttpResponse:
    form = EndpointForm(request.POST or None, initial=_defaults(), has_key=False)
    if form.is_valid():
        try:
            services.add_endpoint(form.values, key=form.new_key or "", by=request.member)
        except DeskError as error:
            form.refuse(error)
        else:
            text = _("Added. Test it, then choose it to answer.")
            return pages.done(request, text, "agents:endpoints")
    return _form(request, form, _("Add a model"), _("Add"))


@member_required(Permission.ENDPOINTS)
@require_http_methods(["GET", "POST"])
def endpoint(request: MemberRequest, endpoint_id: UUID) -> HttpResponse:
    row = endpoint_for_member(request.member, endpoint_id)
    form = EndpointForm(request.POST or None, initial=_values(row), has_key=bool(row.key_encrypted))
    if form.is_valid():
        try:
            services.change_endpoint(row, form.values, key=form.new_key, by=request.member)
        except DeskError as error:
            form.refuse(error)
        else:
            text = _("Saved. It holds from the next turn on.")
            return pages.done(request, text, "agents:endpoints")
    actions = _acts(request, row, answers=selectors.answers(row))
    return _form(request, form, row.name, _("Save"), actions=actions, notice=_notice(row))


@member_outside_required(Permission.ENDPOINTS)
@require_POST
def test_endpoint(request: MemberRequest, endpoint_id: UUID) -> HttpResponse:
    """One small question to the model; the answer is a page, for it is read and acted on."""
    # The framework behind it costs a web process 28 MB: only where it is needed.
    from agents.runtime.probe import probe_endpoint  # noqa: PLC0415

    row, found = probe_endpoint(request.member, endpoint_id)
    edit = {"label": _("Edit"), "url": _url(request, "endpoint", row.id)}
    context = {
        **agent_pages.frame(request, agent_pages.MODELS),
        "title": _("Test of {name}").format(name=row.name),
        "actions": [_test(request, row, _("Test again")), edit],
        "notice": {"tone": "success" if found.works else "error", "text": found.text},
        "facts": _facts(row, found),
    }
    return render(request, "console/detail.html", context)


@member_required(Permission.ENDPOINTS)
@require_POST
def choose_endpoint(request: MemberRequest, endpoint_id: UUID) -> HttpResponse:
    row = endpoint_for_member(request.member, endpoint_id)
    text = _("{name} answers from the next turn on.").format(name=row.name)
    return pages.attempt(
        request,
        lambda: services.choose_endpoint(row, by=request.member),
        text,
        "agents:endpoints",
    )


@member_required(Permission.ENDPOINTS)
@require_POST
def delete_endpoint(request: MemberRequest, endpoint_id: UUID) -> HttpResponse:
    row = endpoint_for_member(request.member, endpoint_id)
    return pages.attempt(
        request,
        lambda: services.delete_endpoint(row, by=request.member),
        _("{name} is deleted, and its key with it.").format(name=row.name),
        "agents:endpoints",
    )


def _row(request: MemberRequest, listed: selectors.Listed) -> Context:
    row, answers = listed
    use = pages.cell(_("Answers customers"), kind="badge", tone="success") if answers else None
    address = row.base_url or _("The provider's own address")
    cells = [
        pages.cell(row.name, url=_url(request, "endpoint", row.id)),
        pages.cell(row.get_api_display(), hint="" if row.api == Api.OFFLINE else address),
        pages.cell(row.model, kind="code", hint=_kept_by(row)),
        pages.cell(_("Stored") if row.key_encrypted else "–"),
        use or pages.cell(_("Not in use")),
    ]
    return pages.row(cells, _acts(request, row, answers=answers))


def _kept_by(row: ModelEndpoint) -> str:
    return _("The provider keeps the conversations") if row.history == History.SERVICE else ""


def _acts(request: MemberRequest, row: ModelEndpoint, *, answers: bool) -> list[Context]:
    test = _test(request, row, _("Test connection"))
    if answers:
        return [test]
    confirm = _("Let this model answer your customers from the next turn on?")
    url = _url(request, "choose-endpoint", row.id)
    use = {"label": _("Let it answer"), "url": url, "method": "post", "confirm": confirm}
    confirm = _("Delete this model and its key? What it answered stays readable.")
    delete = {"label": _("Delete"), "url": _url(request, "delete-endpoint", row.id)}
    return [test, use, delete | {"method": "post", "confirm": confirm}]


def _test(request: MemberRequest, row: ModelEndpoint, label: str) -> Context:
    return {"label": label, "url": _url(request, "test-endpoint", row.id), "method": "post"}


def _form(
    request: MemberRequest, form: EndpointForm, title: str, submit: str, **context: Any
) -> HttpResponse:
    return pages.form_page(
        request,
        form,
        **agent_pages.frame(request, agent_pages.MODELS),
        title=title,
        submit_label=submit,
        cancel_url=_url(request, "endpoints"),
        **context,
    )


def _notice(row: ModelEndpoint) -> Context | None:
    if row.history == History.SERVICE:
        text = _(
            "The provider keeps your customers' conversations with this model. What you edit, black"
            " out or erase here stays on its servers."
        )
        return {"tone": "warning", "text": text}
    if not row.trusted or row.api == Api.OFFLINE:
        return None
    text = _("Set by the desk's operator. Change its address, and only a public one is taken.")
    return {"tone": "info", "text": text}


def _facts(row: ModelEndpoint, found: "Diagnosis") -> list[Context]:
    facts = [
        {"label": _("Protocol"), "cell": pages.cell(row.get_api_display())},
        {"label": _("Model"), "cell": pages.cell(row.model, kind="code")},
        {"label": _("Time"), "cell": pages.cell(f"{found.milliseconds:,} ms")},
    ]
    if found.detail:
        facts.append({"label": _("In detail"), "cell": pages.cell(found.detail, kind="code")})
    return facts


def _defaults() -> Context:
    return {
        field.name: field.default
        for field in fields(services.EndpointValues)
        if field.name not in {"name", "api", "model"}
    }


def _values(row: ModelEndpoint) -> Context:
    values = {field.name: getattr(row, field.name) for field in fields(services.EndpointValues)}
    prices = {name: f"{values[name].normalize():f}" for name in ("input_price", "output_price")}
    return values | prices


def _url(request: MemberRequest, name: str, *ids: UUID) -> str:
    return reverse(f"agents:{name}", args=[request.tenant.slug, *ids])
