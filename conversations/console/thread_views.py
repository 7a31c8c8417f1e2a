"""One conversation: reading it and writing in it."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from conversations.access import conversation_for_member
from conversations.console import answers, panes
from conversations.console.forms import LinesForm, SayForm
from conversations.models import Conversation, Draft
from conversations.services import messages
from conversations.services.details import mark_read
from conversations.services.messages import ClientKeyReused, NewerMessages
from tenants.errors import DeskError, NotFound
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission


@member_required(Permission.READ)
@require_safe
def thread(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    """The page, or for htmx the pane; opening it marks the talk as read."""
    row = conversation_for_member(request.member, conversation_id)
    show = answers.pane if answers.wants(request, "conversation") else answers.page
    response = show(request, row)
    if row.unread_count and panes.marks_read(request):
        mark_read(row)
    return response


@member_required(Permission.READ)
@require_safe
def lines(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    """Lines before or after a seq, as the log shows them."""
    row = conversation_for_member(request.member, conversation_id)
    form = LinesForm(request.GET)
    answers.refuse_form(form)
    wanted = form.cleaned_data
    if wanted["before_seq"] is not None:
        context = panes.older(request, row, wanted["before_seq"])
        return render(request, "console/inbox/_older.html", context)
    context = panes.newer(request, row, wanted["after_seq"] or 0, wanted["limit"] or panes.LINES)
    if row.unread_count and panes.marks_read(request):
        mark_read(row)
    return render(request, "console/inbox/_items.html", context)


@member_required(Permission.READ)
@require_safe
def header(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    row = conversation_for_member(request.member, conversation_id)
    return render(request, "console/inbox/_header.html", panes.header(request, row))


@member_required(Permission.READ)
@require_safe
def composer(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    row = conversation_for_member(request.member, conversation_id)
    return render(request, "console/inbox/_composer.html", panes.composer(row))


@member_required(Permission.READ)
@require_safe
def details(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    return answers.details(request, conversation_for_member(request.member, conversation_id))


@member_required(Permission.REPLY)
@require_POST
def say(request: MemberRequest, conversation_id: UUID) -> HttpResponse:
    """A reply or a note. A refused one comes back in the composer with what to do."""
    row = conversation_for_member(request.member, conversation_id)
    form = SayForm(request.POST)
    try:
        answers.refuse_form(form)
        _store(request, row, form.cleaned_data)
    except NotFound:
        raise
    except DeskError as error:
        return _not_said(request, row, form, error)
    if not answers.wants(request):
        return redirect("conversations:thread", request.tenant.slug, conversation_id)
    return _said(request, conversation_id, form.cleaned_data)


def _store(request: MemberRequest, row: Conversation, said: dict[str, Any]) -> None:
    words = {"by": request.member, "text": said["text"], "client_key": said["client_key"]}
    if said["mode"] == Draft.Mode.NOTE:
        messages.add_note(row, **words)
    else:
        files = said["attachments"]
        messages.post_reply(row, **words, seen_seq=said["seen_seq"], attachments=files)


def _said(request: MemberRequest, conversation_id: UUID, said: dict[str, Any]) -> HttpResponse:
    """A fresh composer; the log fetches what was said."""
    row = conversation_for_member(request.member, conversation_id)
    context = panes.composer(row, mode=said["mode"], seen_seq=said["seen_seq"] or 0)
    response = render(request, "console/inbox/_composer.html", context)
    return answers.tell(response, said={})


def _not_said(
    request: MemberRequest, row: Conversation, form: SayForm, error: DeskError
) -> HttpResponse:
    kept = {name: value for name, value in form.cleaned_data.items() if value is not None}
    if isinstance(error, ClientKeyReused):
        kept.pop("client_key")  # a new one: under the old key other words are stored already
    context: dict[str, Any] = {"problem": error.detail}
    if isinstance(error, NewerMessages):
        kept["seen_seq"] = error.extra["newest_seq"]
        context = {"stale": error.extra["messages"]}
    context |= panes.composer(row, **kept)
    status = error.status if error.status in (409, 410) else 422
    if answers.wants(request):
        response = render(request, "console/inbox/_composer.html", context, status=status)
        return answers.tell(response, said={}) if status == 409 else response
    return answers.page(request, row, status=status, **context)
