"""What the model saw in one turn."""

import json
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agents.access import turn_for_member
from agents.console import present
from agents.models import Turn
from agents.selectors.turns import TurnTrace, trace_of
from conversations.selectors.lines import written_by
from tenants.gates.members import MemberRequest, member_required
from tenants.gates.reading import read_is_recorded
from tenants.permissions import Permission


@member_required(Permission.READ)
@require_safe
@read_is_recorded
def turn_seen(request: MemberRequest, turn_id: UUID) -> HttpResponse:
    # The framework takes a second to load, and no other page needs it.
    from agents.runtime.rebuild import rebuild  # noqa: PLC0415

    turn = turn_for_member(request.member, turn_id)
    seen, trace = rebuild(turn), trace_of(turn)
    context = {
        "active": "inbox",
        "conversation_id": turn.conversation_id,
        "turn": present.turn(trace, may_retry=False),
        "seen": seen,
        "asked": _asked(seen, trace),
        "options": json.dumps(seen.options, indent=2, ensure_ascii=False) if seen else "",
        "answer_characters": _answer_size(turn),
    }
    return render(request, "console/turns/seen.html", context)


def _asked(seen: Any, trace: TurnTrace) -> list[dict[str, Any]]:
    """What each specialist was asked, which version of it, and what it said."""
    by_name = {tool.name: tool.specialist for tool in seen.tools} if seen else {}
    return [
        {
            "specialist": by_name[call.name],
            "task": call.arguments.get("task", ""),
            "answer": call.result,
            "state": call.get_state_display(),
        }
        for call in trace.tool_calls
        if by_name.get(call.name)
    ]


def _answer_size(turn: Turn) -> int:
    """Characters of all that the turn said and did."""
    rows: Any = written_by(turn.conversation_id, turn.id)
    return sum(len(row.text) + len(json.dumps(row.parts or "", default=str)) for row in rows)
