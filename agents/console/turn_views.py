"""What the agent did, beside a conversation."""

import json
from collections.abc import Callable
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from agents.access import turn_for_member
from agents.console import present
from agents.models import Turn, TurnState
from agents.selectors.turns import turns_of
from agents.selectors.usage import totals_of
from agents.services.queueing import may_answer, may_work, retry_turn
from agents.services.regenerating import is_last_word, regenerate_turn
from conversations.access import conversation_for_member
from conversations.models import Conversation, Handler, Status
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
    """A new turn in place of the failed one."""
    return _instead(request, turn_id, retry_turn)


@member_required(Permission.REPLY)
@require_POST
def regenerate(request: MemberRequest, turn_id: UUID) -> HttpResponse:
    """A new turn in place of the last answer."""
    return _instead(request, turn_id, regenerate_turn)


def _instead(request: MemberRequest, turn_id: UUID, act: Callable[[Turn], Turn]) -> HttpResponse:
    """A refusal is said in a toast."""
    turn = turn_for_member(request.member, turn_id)
    problem = None
    try:
        act(turn)
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
    anew = _last_word(row, [trace.turn for trace in traces])
    context = {
        "turns": [
            present.turn(trace, may_retry=may_retry) | {"can_regenerate": trace.turn.id == anew}
            for trace in traces
        ],
        "totals": [present.total(used) for used in totals_of(row.id)],
        "hand_back_retries": _hand_back_retries(row, [trace.turn for trace in traces]),
    }
    return render(request, "console/turns/_turns.html", context)


def _hand_back_retries(row: Conversation, turns: list[Turn]) -> bool:
    """After a failure the team has the talk: the agent tries again by a hand-back alone."""
    failed = bool(turns) and turns[0].state == TurnState.FAILED
    return failed and row.handler == Handler.TEAM and row.status == Status.OPEN


def _last_word(row: Conversation, turns: list[Turn]) -> UUID | None:
    """The turn whose answer can be written anew."""
    last = next((turn for turn in turns if turn.state == TurnState.SUCCEEDED), None)
    return last.id if last and may_answer(row) and is_last_word(last, row) else None
