"""The doors: sign in, sign out, choose a team, accept an invitation."""

from django.contrib.auth import login as start_session
from django.contrib.auth import logout as end_session
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from tenants.console import pages
from tenants.console.forms import DeskForm, JoinForm, NewAccountForm, SignInForm
from tenants.errors import DeskError
from tenants.gates.invitations import InvitedRequest, invitation_required
from tenants.models import Member, User
from tenants.selectors.teams import has_account, tenants_of_user
from tenants.services import invitations
from tenants.services.sign_in import sign_in, sign_out


@require_GET
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """Leads to the user's only tenant, or lets them choose among several."""
    mine = tenants_of_user(request.user)  # type: ignore[arg-type]
    if len(mine) == 1:
        return redirect(f"/t/{mine[0].slug}/")
    return render(request, "console/choose_tenant.html", {"tenants": mine})


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "POST"])
def login(request: HttpRequest) -> HttpResponse:
    form = SignInForm(request.POST or None)
    following = _safe_next(request)
    if form.is_valid():
        user = _signed_in(request, form)
        if user:
            start_session(request, user)
            return redirect(following)
    return pages.door(request, "console/login.html", form, next=following)


@require_POST
def logout(request: HttpRequest) -> HttpResponse:
    if isinstance(request.user, User):
        sign_out(request.user)
    end_session(request)
    return redirect("tenants:login")


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "POST"])
@invitation_required
def invitation(request: InvitedRequest) -> HttpResponse:
    """Who is signed in joins with a button; who has an account signs in; others make one."""
    if not request.user.is_authenticated and has_account(request.invitation.email):
        return redirect(f"{resolve_url('tenants:login')}?next={request.path}")
    form = _answer_form(request)
    if request.method == "POST" and form.is_valid():
        member = _joined(request, form)
        if member:
            start_session(request, member.user, "django.contrib.auth.backends.ModelBackend")
            return redirect(f"/t/{member.tenant.slug}/")
    return pages.door(request, "console/invitation.html", form, invitation=request.invitation)


def _signed_in(request: HttpRequest, form: SignInForm) -> User | None:
    try:
        return sign_in(
            email=form.cleaned_data["username"],
            password=form.cleaned_data["password"],
            address=request.META.get("REMOTE_ADDR", ""),
        )
    except DeskError as error:
        form.refuse(error)
        return None


def _safe_next(request: HttpRequest) -> str:
    """Only addresses of our own: a link to the login page must not lead elsewhere."""
    wanted = request.POST.get("next") or request.GET.get("next", "")
    hosts = {request.get_host()}
    safe = url_has_allowed_host_and_scheme(wanted, hosts, require_https=request.is_secure())
    return wanted if safe else "/"


def _answer_form(request: InvitedRequest) -> DeskForm:
    data = request.POST if request.method == "POST" else None
    if request.user.is_authenticated:
        return JoinForm(data)
    return NewAccountForm(data, email=request.invitation.email)


def _joined(request: InvitedRequest, form: DeskForm) -> Member | None:
    try:
        if isinstance(request.user, User):
            return invitations.accept(request.invitation, user=request.user)
        return invitations.accept_as_new(request.invitation, **form.cleaned_data)
    except DeskError as error:
        form.refuse(error)
        return None
