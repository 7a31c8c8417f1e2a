"""What a person sees who follows the mailed link: one question, one button, in their language."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from conversations.gates.erasure_links import LinkedRequest, erasure_link_required
from conversations.letters import page_for
from conversations.selectors.erasures import subject_of
from conversations.services.erasure_requests import confirm


@never_cache
@require_http_methods(["GET", "POST"])
@erasure_link_required
def confirm_erasure(request: LinkedRequest) -> HttpResponse:
    """Opening the link changes nothing: scanners of mail open every link."""
    row = request.erasure
    person = subject_of(row)
    locale = (person.locale if person else "") or row.tenant.locale
    page = page_for(locale, company=row.tenant.name, due_at=row.due_at)
    if request.method == "POST":
        confirm(row)
        page["done"] = True
    answer = render(request, "console/privacy/confirm.html", {"page": page})
    answer["Referrer-Policy"] = "no-referrer"
    return answer
