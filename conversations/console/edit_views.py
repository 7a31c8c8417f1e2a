"""A message by itself: its words before, new words, black ones."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from conversations.access import file_for_member, message_for_member
from conversations.console import answers, panes
from conversations.console.forms import EditForm, RedactForm
from conversations.models import Message
from conversations.selectors.files import message_of
from conversations.selectors.lines import edits_of
from conversations.services import edits
from conversations.services.forking import fork as fork_at
from tenants.console import pages
from tenants.errors import Conflict, DeskError, NotFound
from tenants.gates.members import MemberRequest, member_required
from tenants.gates.reading import read_is_recorded
from tenants.permissions import Permission


@member_required(Permission.READ)
@require_safe
def message(request: MemberRequest, message_id: UUID) -> HttpResponse:
    """As the log shows it; without htmx the talk that it stands in."""
    row = message_for_member(request.member, message_id)
    return _shown(request, row)


@member_required(Permission.READ)
@require_safe
@read_is_recorded
def message_history(request: MemberRequest, message_id: UUID) -> HttpResponse:
    """What it said before, by whom it was changed, and when."""
    row = message_for_member(request.member, message_id)
    before = edits_of(row)
    if answers.wants(request):
        return render(request, "console/inbox/_edits.html", {"edits": before})
    columns = pages.columns(_("Changed"), _("By"), _("It said before"))
    rows = [
        pages.row(
            [
                pages.cell(edit.created_at, kind="time"),
                pages.cell(edit.by.name if edit.by else _("A former teammate")),
                pages.cell(edit.text),
            ]
        )
        for edit in before
    ]
    return pages.table(
        request,
        active="inbox",
        title=_("What this message said before"),
        columns=columns,
        rows=rows,
        empty={"title": _("Nothing is kept"), "text": _("What was blacked out is kept nowhere.")},
    )


@member_required(Permission.REPLY)
@require_http_methods(["GET", "POST"])
def edit_message(request: MemberRequest, message_id: UUID) -> HttpResponse:
    row = message_for_member(request.member, message_id)
    if request.method == "GET":
        return _form(request, row)
    form = EditForm(request.POST)
    return _changed(request, row, lambda: _edit(request, row, form), form)


@member_required(Permission.REPLY)
@require_POST
def redact_message(request: MemberRequest, message_id: UUID) -> HttpResponse:
    row = message_for_member(request.member, message_id)
    form = RedactForm(request.POST)
    form.is_valid()
    words = form.cleaned_data.get("words", "")
    return _changed(
        request, row, lambda: edits.redact_words(row, by=request.member, words=words), form
    )


@member_required(Permission.REPLY)
@require_POST
def redact_file(request: MemberRequest, file_id: UUID) -> HttpResponse:
    """Shows the message again, without the file; under a legal hold with it, and why."""
    file, problem = file_for_member(request.member, file_id), ""
    try:
        edits.redact_file(file, by=request.member)
    except Conflict as error:
        problem = error.detail
    if not answers.wants(request):
        tell = messages.error if problem else messages.success
        tell(request, problem or _("The file is removed for good."))
    shown = _shown(request, message_of(file))
    return answers.tell(shown, toast={"text": problem, "level": "error"}) if problem else shown


@member_required(Permission.REPLY)
@require_POST
def fork(request: MemberRequest, message_id: UUID) -> HttpResponse:
    """Straight on to the new conversation."""
    talk = fork_at(message_for_member(request.member, message_id), by=request.member)
    messages.success(request, _("This is the new conversation. You have it."))
    return redirect("conversations:thread", request.tenant.slug, talk.id)


def _edit(request: MemberRequest, row: Message, form: EditForm) -> Message:
    answers.refuse_form(form)
    wanted = form.cleaned_data
    return edits.edit_message(row, by=request.member, text=wanted["text"], seen=wanted["seen"])


def _changed(request: MemberRequest, row: Message, act: Any, form: Any) -> HttpResponse:
    try:
        act()
    except NotFound:
        raise
    except DeskError as error:
        lines = [line for lines in error.errors.values() for line in lines]
        problem = lines[0] if lines else error.detail
        kept = form.cleaned_data if form.is_valid() else {}
        return _form(
            request, row, problem=problem, status=409 if error.status == 409 else 422, **kept
        )
    if not answers.wants(request):
        messages.success(request, _("The message has its new words."))
    return _shown(request, row)


def _shown(request: MemberRequest, row: Message) -> HttpResponse:
    if not answers.wants(request):
        return redirect("conversations:thread", request.tenant.slug, row.conversation_id)
    return render(request, "console/inbox/_message.html", panes.message(request, row))


def _form(request: MemberRequest, row: Message, *, status: int = 200, **kept: Any) -> HttpResponse:
    """In place of the message; without htmx a page of its own."""
    row.refresh_from_db()
    context = panes.message(request, row) | {
        "conversation_id": row.conversation_id,
        "text": kept.get("text") or row.text,
        "words": kept.get("words", ""),
        "seen": row.edited_at.isoformat() if row.edited_at else "",
        "problem": kept.get("problem"),
    }
    if answers.wants(request):
        return render(request, "console/inbox/_edit.html", context, status=status)
    return render(request, "console/inbox/edit.html", {"active": "inbox", **context}, status=status)
