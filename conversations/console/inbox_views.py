"""The list of conversations."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from conversations.console import answers, panes
from conversations.console.forms import ListForm
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission


@member_required(Permission.READ)
@require_safe
def inbox(request: MemberRequest) -> HttpResponse:
    """The page; for htmx the list alone, or the cards behind a place in it."""
    listing = ListForm.listing(request.GET)
    if answers.wants(request, "list"):
        return render(request, "console/inbox/_list.html", panes.list_pane(request, listing))
    if answers.wants(request) and listing.after:
        return render(request, "console/inbox/_cards.html", panes.cards(request, listing))
    return answers.page(request)
