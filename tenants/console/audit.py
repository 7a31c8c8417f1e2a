"""The page of the append-only record, and its export."""

from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from tenants.access import visit_by_id
from tenants.console import audit_export, pages, rows
from tenants.console.audit_filter import AuditFilterForm
from tenants.console.audit_words import why_staff_came
from tenants.console.pages import Context
from tenants.errors import InvalidInput
from tenants.gates.members import MemberRequest, member_required
from tenants.gates.reading import read_is_recorded
from tenants.models import StaffVisit
from tenants.permissions import Permission
from tenants.selectors import audit as selectors
from tenants.selectors.teams import open_visits
from tenants.services import audit as services
from tenants.services import staff

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
    visits = list(open_visits())
    form.offer()
    return pages.table(
        request,
        active="audit",
        title=_("Audit"),
        lede=_(
            "Who did what, and who read what. Nobody can change or delete it: each entry is sealed"
            " into the next. Customers and conversations stand here by pseudonym."
        ),
        notice=_notice(visits),
        actions=[*_ends(request, visits), *_exports(form)],
        filter_form=form,
        columns=pages.columns(_("When"), _("Who"), _("Did"), _("About"), _("Detail")),
        rows=rows.audit_entries(shown, selectors.names_of(shown)),
        empty=_empty(request),
        next_url=form.query(before=shown[-1].id) if len(found) > _PAGE else None,
    )


@member_required(Permission.AUDIT)
@require_POST
def end_visit(request: MemberRequest, visit_id: UUID) -> HttpResponse:
    visit = visit_by_id(visit_id)
    staff.end_visit(visit, by=request.member)
    return pages.done(
        request, _("Ended. Platform staff can read nothing any more."), "tenants:audit"
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


def _notice(visits: list[StaffVisit]) -> Context | None:
    if not visits:
        return None
    last = pages.moment(max(visit.until for visit in visits))
    told = ", ".join(
        f"{visit.user.name} – {why_staff_came(visit.reason)} ({visit.case})" for visit in visits
    )
    text = _("Platform staff may read conversations until %(time)s: %(who)s.")
    return {"tone": "warning", "text": text % {"time": last, "who": told}}


def _ends(request: MemberRequest, visits: list[StaffVisit]) -> list[Context]:
    return [
        {
            "label": _("End the visit %(case)s now") % {"case": visit.case},
            "url": reverse("tenants:end-visit", args=[request.tenant.slug, visit.id]),
            "method": "post",
            "tone": "danger",
        }
        for visit in visits
    ]


def _empty(request: MemberRequest) -> Context:
    title = _("No entry matches")
    text = _("Choose a longer time or fewer conditions.")
    url = reverse("tenants:audit", args=[request.tenant.slug])
    return {"title": title, "text": text, "action": {"label": _("Show everything"), "url": url}}


def _exports(form: AuditFilterForm) -> list[Context]:
    kinds = {
        audit_export.JSON: _("Export as JSON Lines"),
        audit_export.CSV: _("Export as CSV"),
    }
    return [
        {"label": label, "url": f"export/{form.query(format=kind)}"}
        for kind, label in kinds.items()
    ]
