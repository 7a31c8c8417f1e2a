"""The privacy desk's first page: what is due, soonest first."""

from collections.abc import Callable, Iterable

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from conversations.console import privacy_pages
from conversations.console.privacy_due import Due
from conversations.console.privacy_export_views import due_exports
from tenants.console.pages import Context, cell, columns, row
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission

# Each area of the privacy desk adds the function that lists what it has due in the open scope.
SOURCES: tuple[Callable[[MemberRequest], Iterable[Due]], ...] = (due_exports,)


@member_required(Permission.PRIVACY)
@require_safe
def privacy(request: MemberRequest) -> HttpResponse:
    due = sorted((one for source in SOURCES for one in source(request)), key=lambda one: one.at)
    return privacy_pages.table(
        request,
        privacy_pages.DESK,
        title=_("Privacy desk"),
        lede=_("What waits for you, soonest first."),
        columns=columns(_("What"), _("State"), _("Due")),
        rows=[_row(one) for one in due],
        empty={
            "title": _("Nothing is due"),
            "text": _("No request, run, hold or export waits for anybody."),
        },
    )


def _row(due: Due) -> Context:
    return row(
        [
            cell(due.what, url=due.url),
            cell(due.state, kind="badge", tone=due.tone),
            cell(due.at, kind="time"),
        ]
    )
