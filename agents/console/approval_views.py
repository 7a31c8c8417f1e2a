"""What the agent may not do alone: a page of its own, and cards in the conversation."""

import json
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.messages import constants
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from agents.access import approval_for_member
from agents.console import present
from agents.console.forms import DecisionForm
from agents.models import Approval
from agents.selectors.approvals import decided_lately, pending_requests
from agents.services.approvals import decide as decide_approval
from agents.services.standing import approve_from_now_on
from conversations.access import conversation_for_member
from tenants.errors import DeskError, InvalidInput
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission

_IN_THREAD = "pending-approvals"


@member_required(Permission.APPROVE)
@require_safe
def approvals(request: MemberRequest) -> HttpResponse:
    if request.headers.get("HX-Request") == "true":
        return _list(request)
    page = "console/approvals/index.html"
    return _list(request, page, active="approvals", stream_url="/api/v1/stream")


@member_required(Permission.READ)
@require_safe
def pending_approvals(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    row = conversation_for_member(request.member, conversation_id)
    return _list(request, of=row.id)


@member_required(Permission.APPROVE)
@require_POST
def decide(request: MemberRequest, approval_id: UUID) -> HttpResponse:
    """Yes or no, exactly as shown; a refusal is said in a toast beside what is true now."""
    approval = approval_for_member(request.member, approval_id)
    try:
        level, told = "success", _decided(request, approval)
    except DeskError as error:
        level, told = "error", error.detail
    if request.headers.get("HX-Request") != "true":
        if told:
            messages.add_message(request, constants.DEFAULT_LEVELS[level.upper()], told)
        return redirect("agents:approvals", request.tenant.slug)
    in_thread = request.headers.get("HX-Target") == _IN_THREAD
    answer = _list(request, of=approval.conversation_id if in_thread else None)
    if told:
        answer["HX-Trigger"] = json.dumps({"toast": {"text": told, "level": level}})
    return answer


def _decided(request: MemberRequest, approval: Approval) -> str:
    """What there is to say beside the changed list: that a rule holds now, and where it stands."""
    form = DecisionForm(request.POST)
    if not form.is_valid():
        raise InvalidInput(str(next(iter(form.errors.values()))[0]))
    if not form.stands:
        decide_approval(approval, by=request.member, **form.values)
        return ""
    approve_from_now_on(approval, by=request.member, comment=form.values["comment"])
    text = _("Approved. {tool} does not ask up to this sum any more; take that back under Tools.")
    return text.format(tool=approval.tool)


def _list(
    request: MemberRequest,
    template: str = "console/approvals/_list.html",
    *,
    of: UUID | None = None,
    **context: Any,
) -> HttpResponse:
    tenant, member = request.tenant, request.member
    asked = [
        present.request(batch, limit=tenant.approval_limit, by=member)
        for batch in pending_requests(of)
    ]
    lately = [] if of else [present.decided(row) for row in decided_lately()]
    context |= {"approvals": asked, "lately": lately, "in_thread": of is not None}
    return render(request, template, context)
