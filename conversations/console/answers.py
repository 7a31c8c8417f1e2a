"""How the inbox answers: a pane for htmx, a page or a redirect for everybody else."""

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from conversations.access import conversation_for_member
from conversations.console import panes
from conversations.console.forms import ListForm
from conversations.models import Conversation
from tenants.errors import DeskError, InvalidInput
from tenants.gates.members import MemberRequest

Act = Callable[[Conversation], Any]


def wants(request: MemberRequest, target: str = "") -> bool:
    """Whether htmx asks, for the element `target` if one is named."""
    asked = request.headers.get("HX-Request") == "true"
    return asked and target in ("", request.headers.get("HX-Target"))


def page(
    request: MemberRequest,
    row: Conversation | None = None,
    *,
    status: int = 200,
    **context: Any,
) -> HttpResponse:
    """The whole inbox, with a talk open or none; `context` goes over what the rows say."""
    shown = panes.list_pane(request, ListForm.listing(request.GET), row.id if row else None)
    shown |= panes.conversation(request, row) if row else {}
    return render(request, "console/inbox/index.html", shown | context, status=status)


def pane(request: MemberRequest, row: Conversation) -> HttpResponse:
    return render(request, "console/inbox/conversation.html", panes.conversation(request, row))


def act(request: MemberRequest, conversation_id: UUID, do: Act) -> HttpResponse:
    """For a button of the header: does it, then shows the talk as it is now."""
    return _acted(request, conversation_id, do, pane)


def change(request: MemberRequest, conversation_id: UUID, do: Act) -> HttpResponse:
    """For a field of the details: does it, then shows the details as they are now."""
    return _acted(request, conversation_id, do, _changed)


def refuse_form(form: forms.Form) -> None:
    """Raises for a form that is not valid, by its first complaint."""
    if not form.is_valid():
        first = next(iter(form.errors.values()))
        raise InvalidInput(str(first[0]))


def tell(response: HttpResponse, **events: Any) -> HttpResponse:
    """Adds events for the page's scripts."""
    before = json.loads(response.headers.get("HX-Trigger", "{}"))
    response["HX-Trigger"] = json.dumps(before | events)
    return response


def _acted(
    request: MemberRequest,
    conversation_id: UUID,
    do: Act,
    show: Callable[[MemberRequest, Conversation], HttpResponse],
) -> HttpResponse:
    problem = None
    try:
        do(conversation_for_member(request.member, conversation_id))
    except DeskError as error:
        problem = _refused(error)
    if not wants(request):
        if problem:
            messages.error(request, problem)
        return redirect("conversations:thread", request.tenant.slug, conversation_id)
    row = conversation_for_member(request.member, conversation_id)
    response = show(request, row)
    return tell(response, toast={"text": problem, "level": "error"}) if problem else response


def _refused(error: DeskError) -> str:
    """What a toast says; a foreign conversation stays a 404."""
    if error.status == 404:
        raise error
    lines = [line for lines in error.errors.values() for line in lines]
    return lines[0] if lines else error.detail


def _changed(request: MemberRequest, row: Conversation) -> HttpResponse:
    return tell(details(request, row), **{"talk-changed": {"handler": row.handler}})


def details(request: MemberRequest, row: Conversation) -> HttpResponse:
    return render(request, "console/inbox/_details.html", panes.details_pane(request, row))
