"""What platform staff may read while their visit is open: talks, without who the customer is."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_POST, require_safe

from conversations.access import conversation_for_visit
from conversations.selectors.inbox import newest
from conversations.selectors.lines import messages_of
from tenants.admin import site
from tenants.gates.staff import StaffRequest, visit_required
from tenants.services import audit
from tenants.services.staff import end_visit

_SHOWN = 50


@visit_required
@require_safe
def conversations(request: StaffRequest) -> HttpResponse:
    """Ids, states and times: titles and previews are content, and one talk at a time is read."""
    return _page(request, "conversations", conversations=newest(_SHOWN))


@visit_required
@require_safe
def conversation(request: StaffRequest, conversation_id: UUID) -> HttpResponse:
    """The newest messages; the reading is on the tenant's record."""
    found = conversation_for_visit(request.visit, conversation_id)
    detail = {"case": request.visit.case}
    audit.record("staff.read", by=audit.staff(request.user), target=found, detail=detail)
    return _page(
        request, "conversation", conversation=found, messages=messages_of(found.id, limit=_SHOWN)
    )


@visit_required
@require_POST
def end(request: StaffRequest) -> HttpResponse:
    end_visit(request.visit, by=request.user)
    return redirect("admin:tenants_tenant_change", request.tenant.id)


def _page(request: StaffRequest, name: str, **context: object) -> HttpResponse:
    title = f"{request.tenant} · {request.visit.case}"
    whole = {**site.each_context(request), **context, "title": title, "visit": request.visit}
    return TemplateResponse(
        request, f"staff/{name}.html", whole | {"entered": request.tenant}
    ).render()
