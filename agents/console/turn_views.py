"""What the agent did, beside a conversation."""

import json
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from agents.access import turn_for_member
from agents.console import present
from agents.selectors.turns import turns_of
from agents.selectors.usage import totals_of
from agents.services.queueing import may_work, retry_turn
from conversations.access import conversation_for_member
from conversations.models import Conversation
from tenants.errors import DeskError
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission


@member_required(Permission.READ)
@require_safe
def turns(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    return _turns(request, conversation_for_member(request.member, conversation_id))


@member_required(Permission.REPLY)
@require_POST
def retry(request: MemberRequest, turn_id: UUID) -> HttpResponse:
    """A new turn in place of the failed one; a refusal is said in a toast."""
    turn = turn_for_member(request.member, turn_id)
    problem = None
    try:
        retry_turn(turn)
    except DeskError as error:
        problem = {"text": error.detail, "level": "error"}
    if request.headers.get("HX-Request") != "true":
        return redirect("conversations:thread", request.tenant.slug, turn.conversation_id)
    response = _turns(request, conversation_for_member(request.member, turn.conversation_id))
    if problem:
        response["HX-Trigger"] = json.dumps({"toast": problem})
    return response


def _turns(request: MemberRequest, row: Conversation) -> HttpResponse:
    may_retry = may_work(row)
    traces = turns_of(row.id)
    context = {
        "turns": [present.turn(trace, may_retry=may_retry) for trace in traces],
        "totals": [present.total(used) for used in totals_of(row.id)],
    }
    return render(request, "console/turns/_turns.html", context)
