"""How the tenant shows itself to customers."""

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from tenants.console import pages
from tenants.console.settings_form import SettingsForm
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission
from tenants.services.settings import FIELDS, change_settings


@member_required(Permission.AGENT_SETTINGS)
@require_http_methods(["GET", "POST"])
def settings(request: MemberRequest) -> HttpResponse:
    tenant = request.tenant
    initial = {name: getattr(tenant, name) for name in FIELDS}
    initial["link_hosts"] = "\n".join(tenant.link_hosts)
    form = SettingsForm(request.POST or None, initial=initial)
    if form.is_valid():
        change_settings(tenant, by=request.member, **form.cleaned_data)
        return pages.done(request, _("Saved. Open widgets show it when they are opened again."),
                          "tenants:settings")  # fmt: skip
    return pages.form_page(
        request,
        form,
        active="settings",
        title=_("Settings"),
        lede=_("How your company and its agent show themselves to customers."),
        submit_label=_("Save"),
    )
