"""The record of processing, rendered from what the code says of itself."""

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from conversations.console import privacy_pages
from tenants.console.pages import Context, cell, columns, place, row
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission
from tenants.personal_data import Store, named, stores
from tenants.processing import Activity, Line, record_of_processing


@member_required(Permission.PRIVACY)
@require_safe
def privacy_record(request: MemberRequest) -> HttpResponse:
    return privacy_pages.detail(
        request,
        privacy_pages.RECORD,
        title=_("Record of processing"),
        lede=_(
            "What this desk holds of people, why, who erases it and how long it stays. It is made"
            " from the desk's own inventory, so it is complete. Small print: names in the program."
        ),
        sections=[
            section
            for activity, lines in record_of_processing()
            for section in _sections(activity, lines)
        ]
        + [_emptied()],
    )


def _sections(activity: Activity, lines: list[Line]) -> list[Context]:
    facts = [
        (_("Why"), activity.why),
        (_("Whose data"), activity.whose),
        (_("How long"), activity.kept),
    ]
    return [
        {
            "title": activity.name,
            "facts": [{"label": label, "cell": cell(text)} for label, text in facts],
        },
        {
            "title": _("%(activity)s: where it lies") % {"activity": activity.name},
            "columns": columns(_("Where"), _("What of people"), _("Who erases it"), _("How long")),
            "rows": [_row(line, activity) for line in lines],
        },
    ]


def _emptied() -> Context:
    """The stores of an erasure in the order in which they are emptied."""
    return {
        "title": _("How an erasure empties it, in this order"),
        "columns": columns(_("Place"), _("Where")),
        "rows": [row([place(named(one.name)), cell(_where(one))], None) for one in stores()],
    }


def _where(store: Store) -> str:
    return str(_("Outside the database")) if store.outside else str(_("In the database"))


def _row(line: Line, activity: Activity) -> Context:
    kept = _("As above") if line.kept == activity.kept else line.kept
    medium = _("%(medium)s: %(name)s") % {"medium": line.medium, "name": line.code}
    return row(
        [
            cell(line.place, hint=medium if line.code else line.medium, hint_kind="code"),
            cell(line.holds),
            cell(line.erased_by),
            cell(kept),
        ],
        None,
    )
