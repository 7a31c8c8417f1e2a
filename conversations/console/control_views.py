"""The buttons above a conversation: who answers, and where it stands."""

from uuid import UUID

from django.http import HttpResponse
from django.views.decorators.http import require_POST

from conversations.console import answers
from conversations.console.forms import SnoozeForm
from conversations.models import Conversation
from conversations.services import control, lifecycle
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission


@member_required(Permission.REPLY)
@require_POST
def take_over(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    by = request.member
    return answers.act(request, conversation_id, lambda row: control.take_over(row, by=by))


@member_required(Permission.REPLY)
@require_POST
def hand_back(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    by = request.member
    return answers.act(request, conversation_id, lambda row: control.hand_back(row, by=by))


@member_required(Permission.REPLY)
@require_POST
def resolve(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    by = request.member
    return answers.act(request, conversation_id, lambda row: lifecycle.resolve(row, by=by))


@member_required(Permission.REPLY)
@require_POST
def reopen(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    by = request.member
    return answers.act(request, conversation_id, lambda row: lifecycle.reopen(row, by=by))


@member_required(Permission.REPLY)
@require_POST
def snooze(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    form = SnoozeForm(request.POST)

    def do(row: Conversation) -> Conversation:
        answers.refuse_form(form)
        return lifecycle.snooze(row, until=form.cleaned_data["until"], by=request.member)

    return answers.act(request, conversation_id, do)
