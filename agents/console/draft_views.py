"""The agent's draft above the composer: send it, change it, throw it away, ask for another."""

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from agents.access import draft_for_member
from agents.selectors.drafts import draft_of
from agents.services import drafts
from agents.services.queueing import may_draft
from conversations.access import conversation_for_member
from tenants.errors import DeskError, NotFound
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission

Act = Callable[[], object]


class SendForm(forms.Form):
    """The words to send, and, for a stale draft, that the member has read what came since."""

    text = forms.CharField(strip=False, required=False)
    client_key = forms.UUIDField(required=False)
    read = forms.BooleanField(required=False)
    read_seq = forms.IntegerField(min_value=0, required=False)

    def values(self) -> dict[str, Any]:
        self.is_valid()
        wanted = self.cleaned_data
        return {
            "text": wanted.get("text", "").replace("\r\n", "\n"),
            "client_key": wanted.get("client_key") or uuid4(),
            "read_seq": wanted.get("read_seq") if wanted.get("read") else None,
        }


@member_required(Permission.READ)
@require_safe
def draft(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    return _shown(request, conversation_id)


@member_required(Permission.REPLY)
@require_POST
def send_draft(request: MemberRequest, draft_id: UUID) -> HttpResponse:
    row = draft_for_member(request.member, draft_id)
    values = SendForm(request.POST).values()
    return _done(
        request,
        row.conversation_id,
        lambda: drafts.send_draft(row, by=request.member, **values),
        text=values["text"],
    )


@member_required(Permission.REPLY)
@require_POST
def discard_draft(request: MemberRequest, draft_id: UUID) -> HttpResponse:
    row = draft_for_member(request.member, draft_id)
    return _done(request, row.conversation_id, lambda: drafts.discard_draft(row))


@member_required(Permission.REPLY)
@require_POST
def ask_draft(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    row = conversation_for_member(request.member, conversation_id)
    return _done(request, row.id, lambda: drafts.ask_for_draft(row))


def _done(request: MemberRequest, conversation_id: UUID, act: Act, **kept: Any) -> HttpResponse:
    """The card as it is after the act; a refusal keeps the member's words in it."""
    problem = None
    try:
        act()
    except NotFound:
        raise
    except DeskError as error:
        problem = error.detail
    if request.headers.get("HX-Request") != "true":
        if problem:
            messages.error(request, problem)
        return redirect("conversations:thread", request.tenant.slug, conversation_id)
    if problem:
        return _shown(request, conversation_id, status=409, problem=problem, **kept)
    response = _shown(request, conversation_id)
    response["HX-Trigger"] = json.dumps({"said": {}})
    return response


def _shown(
    request: MemberRequest, conversation_id: UUID, *, status: int = 200, **context: Any
) -> HttpResponse:
    row = conversation_for_member(request.member, conversation_id)
    now = draft_of(row, may_draft=may_draft(row))
    context |= {"now": now, "conversation_id": conversation_id, "client_key": uuid4()}
    context.setdefault("text", now.draft.text if now.draft else "")
    return render(request, "console/drafts/_draft.html", context, status=status)
