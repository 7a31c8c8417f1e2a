"""The page of the append-only record."""

from urllib.parse import urlencode

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from tenants import selectors
from tenants.console import pages, rows
from tenants.console.forms import AuditFilterForm
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission


@member_required(Permission.AUDIT)
@require_safe
def audit(request: MemberRequest) -> HttpResponse:
    form = AuditFilterForm(request.GET)
    wanted = form.cleaned_data if form.is_valid() else {}
    page = selectors.audit_page(**wanted)
    return pages.table(
        request,
        active="audit",
        title=_("Audit"),
        lede=_(
            "Who did what. It can be neither changed nor deleted, and it names nobody: only ids."
        ),
        filter_form=form,
        columns=pages.columns(_("When"), _("Who"), _("Did"), _("To what"), _("Detail")),
        rows=rows.audit_entries(page.entries),
        empty={"title": _("Nothing here"), "text": _("No entry matches.")},
        next_url=page.next and f"?{urlencode({**_kept(wanted), 'before': page.next})}",
    )


def _kept(wanted: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in wanted.items() if value and name != "before"}
