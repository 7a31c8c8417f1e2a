"""The fields beside a conversation, each sent alone: none overwrites another's change."""

from uuid import UUID

from django.http import HttpResponse
from django.views.decorators.http import require_POST

from conversations.access import assignee_for_member, stage_for_member
from conversations.console import answers
from conversations.console.forms import AssigneeForm, LabelsForm, ModeForm, StageForm, TitleForm
from conversations.models import Conversation
from conversations.services import control
from conversations.services import details as services
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission


@member_required(Permission.REPLY)
@require_POST
def title(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    form = TitleForm(request.POST)

    def do(row: Conversation) -> Conversation:
        answers.refuse_form(form)
        return services.set_title(row, title=form.cleaned_data["title"], by=request.member)

    return answers.change(request, conversation_id, do)


@member_required(Permission.REPLY)
@require_POST
def stage(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    form = StageForm(request.POST)

    def do(row: Conversation) -> Conversation:
        answers.refuse_form(form)
        wanted = form.cleaned_data["stage"]
        chosen = stage_for_member(request.member, wanted) if wanted else None
        return services.set_stage(row, stage=chosen, by=request.member)

    return answers.change(request, conversation_id, do)


@member_required(Permission.REPLY)
@require_POST
def assign(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    form = AssigneeForm(request.POST)

    def do(row: Conversation) -> Conversation:
        answers.refuse_form(form)
        wanted = form.cleaned_data["assignee"]
        to = assignee_for_member(request.member, wanted) if wanted else None
        return control.assign(row, to=to, by=request.member)

    return answers.change(request, conversation_id, do)


@member_required(Permission.REPLY)
@require_POST
def labels(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    names = LabelsForm(request.POST).names
    by = request.member
    return answers.change(
        request, conversation_id, lambda row: services.set_labels(row, names=names, by=by)
    )


@member_required(Permission.REPLY)
@require_POST
def mode(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    form = ModeForm(request.POST)

    def do(row: Conversation) -> Conversation:
        answers.refuse_form(form)
        return control.set_mode(row, mode=form.cleaned_data["mode"], by=request.member)

    return answers.change(request, conversation_id, do)
