"""The team: who is in it, as what, and who is asked to join."""

from uuid import UUID

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tenants import access
from tenants.console import pages, rows
from tenants.console.forms import InviteForm, RoleForm
from tenants.errors import DeskError
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission
from tenants.selectors import teams
from tenants.services import invitations
from tenants.services import members as services


@member_required(Permission.MEMBERS)
@require_safe
def members(request: MemberRequest) -> HttpResponse:
    slug = request.tenant.slug
    return pages.table(
        request,
        active="team",
        title=_("Team"),
        lede=_("Teammates answer customers and run this desk; the role says who may what."),
        actions=[
            {"label": _("Widget keys"), "url": reverse("tenants:widget-keys", args=[slug])},
            {"label": _("API keys"), "url": reverse("tenants:api-keys", args=[slug])},
            {
                "label": _("Invite a teammate"),
                "url": reverse("tenants:invite", args=[slug]),
                "tone": "primary",
                "icon": "plus",
            },
        ],
        columns=pages.columns(_("Name"), _("E-mail address"), _("Role"), _("Since")),
        rows=rows.team(request.member, slug, teams.teammates(), teams.open_invitations()),
    )


@member_required(Permission.MEMBERS)
@require_http_methods(["GET", "POST"])
def invite(request: MemberRequest) -> HttpResponse:
    form = InviteForm(request.POST or None, by=request.member)
    if form.is_valid():
        try:
            _invitation, token = invitations.invite(by=request.member, **form.cleaned_data)
        except DeskError as error:
            form.refuse(error)
        else:
            return _invited(request, token)
    return pages.form_page(
        request,
        form,
        active="team",
        title=_("Invite a teammate"),
        submit_label=_("Make the invitation"),
        cancel_url=reverse("tenants:members", args=[request.tenant.slug]),
    )


def _invited(request: MemberRequest, token: str) -> HttpResponse:
    return pages.secret_page(
        request,
        request.build_absolute_uri(reverse("tenants:invitation", args=[token])),
        active="team",
        title=_("Invitation made"),
        text=_("Send this link to your teammate. It works once, for seven days; copy it now."),
        actions=[
            {
                "label": _("Back to the team"),
                "url": reverse("tenants:members", args=[request.tenant.slug]),
            }
        ],
    )


@member_required(Permission.MEMBERS)
@require_http_methods(["GET", "POST"])
def change_role(request: MemberRequest, member_id: UUID) -> HttpResponse:
    member = access.member_by_id(member_id)
    form = RoleForm(request.POST or None, by=request.member, initial={"role": member.role})
    if form.is_valid():
        try:
            services.change_role(member, by=request.member, **form.cleaned_data)
        except DeskError as error:
            form.refuse(error)
        else:
            return pages.done(request, _("The role was changed."), "tenants:members")
    return pages.form_page(
        request,
        form,
        active="team",
        title=_("Role of %(name)s") % {"name": member.name},
        submit_label=_("Change the role"),
        cancel_url=reverse("tenants:members", args=[request.tenant.slug]),
    )


@member_required(Permission.MEMBERS)
@require_POST
def remove(request: MemberRequest, member_id: UUID) -> HttpResponse:
    member = access.member_by_id(member_id)
    return pages.attempt(
        request,
        lambda: services.remove(member, by=request.member),
        _("The teammate was removed, and the API keys that acted for them."),
        "tenants:members",
    )


@member_required(Permission.MEMBERS)
@require_POST
def take_back(request: MemberRequest, invitation_id: UUID) -> HttpResponse:
    invitation = access.invitation_by_id(invitation_id)
    return pages.attempt(
        request,
        lambda: invitations.take_back(invitation, by=request.member),
        _("The invitation was taken back; its link is void."),
        "tenants:members",
    )
