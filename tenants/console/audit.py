"""The page of the append-only record, and its export."""

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from tenants.console import audit_export, pages, rows
from tenants.console.audit_filter import AuditFilterForm
from tenants.errors import InvalidInput
from tenants.gates.members import MemberRequest, member_required
from tenants.gates.reading import read_is_recorded
from tenants.permissions import Permission
from tenants.selectors import audit as selectors
from tenants.services import audit as services

_PAGE = 50


@member_required(Permission.AUDIT)
@require_safe
@read_is_recorded
def audit(request: MemberRequest) -> HttpResponse:
    form = AuditFilterForm(request.GET)
    wanted = form.wanted()
    before = form.cleaned_data.get("before")
    after = selectors.spot_of(before) if before else None
    found = list(selectors.entries(wanted, after=after)[: _PAGE + 1])
    shown = found[:_PAGE]
    form.offer()
    return pages.table(
        request,
        active="audit",
        title=_("Audit"),
        lede=_(
            "Who did what, and who read what. Nobody can change or delete it: each entry is sealed"
            " into the next. Customers and conversations stand here by pseudonym."
        ),
        actions=[
            {"label": label, "url": f"export/{form.query(format=kind)}"}
            for kind, label in ((audit_export.JSON, _("JSON Lines")), (audit_export.CSV, _("CSV")))
        ],
        filter_form=form,
        columns=pages.columns(_("When"), _("Who"), _("Did"), _("About"), _("Detail")),
        rows=rows.audit_entries(shown, selectors.names_of(shown)),
        empty={"title": _("Nothing here"), "text": _("No entry matches.")},
        next_url=form.query(before=shown[-1].id) if len(found) > _PAGE else None,
    )


@member_required(Permission.AUDIT)
@require_safe
def export_audit(request: MemberRequest) -> HttpResponseBase:
    kind = request.GET.get("format", audit_export.JSON)
    form = AuditFilterForm(request.GET)
    if kind not in audit_export.KINDS or not form.is_valid():
        raise InvalidInput(_("Go back to the audit page and choose again: a filter is not right."))
    wanted = form.wanted()
    services.record("audit.exported", by=request.member, detail={"format": kind})
    return audit_export.answer(request.tenant, wanted, kind)
