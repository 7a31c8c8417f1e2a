"""The tab Holds: what must be kept, whoever asks for its deletion."""

from uuid import UUID

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from conversations.access import hold_for_member, subject_for_member
from conversations.console import privacy_pages
from conversations.console.privacy_retention_forms import HoldForm
from conversations.models import LegalHold
from conversations.selectors.holds import covered, holds, subject_names
from conversations.services import holds as services
from tenants.console import pages
from tenants.console.pages import Context, cell
from tenants.errors import DeskError, NotFound
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission

LIST = "conversations:privacy-holds"
_SHOWN = 100


@member_required(Permission.PRIVACY)
@require_safe
def holds_page(request: MemberRequest) -> HttpResponse:
    found = holds(limit=_SHOWN)
    names = subject_names(found)
    add = {"label": _("Place a hold"), "icon": "plus"}
    add["url"] = reverse("conversations:add-hold", args=[request.tenant.slug])
    return privacy_pages.table(
        request,
        privacy_pages.HOLDS,
        title=_("Legal holds"),
        lede=_(
            "What is under a hold stays, whoever asks and whatever has run out. After its release a"
            " hold keeps everything for seven days more."
        ),
        actions=[add | {"tone": "primary"}],
        columns=pages.columns(_("What"), _("Keeps"), _("Why"), _("Placed"), _("State")),
        rows=[_row(request, hold, names.get(hold.subject_id, "")) for hold in found],
        empty={
            "title": _("Nothing is under legal hold"),
            "text": _("Place a hold when a dispute or an authority asks you to keep something."),
            "action": add | {"tone": "primary"},
        },
    )


@member_required(Permission.PRIVACY)
@require_http_methods(["GET", "POST"])
def add_hold(request: MemberRequest) -> HttpResponse:
    initial = {name: request.GET.get(name, "") for name in ("scope", "subject")}
    form = HoldForm(request.POST or None, initial=initial)
    if form.is_valid():
        try:
            _place(request, form)
        except NotFound:
            form.add_error("subject", _("There is no such one. Check the kind and what you wrote."))
        except DeskError as error:
            form.refuse(error)
        else:
            return pages.done(request, _("Placed. From now on it is kept."), LIST)
    return privacy_pages.form_page(
        request,
        privacy_pages.HOLDS,
        form,
        title=_("Place a hold"),
        lede=_("It holds from the moment you save it, and for seven days after its release."),
        submit_label=_("Place the hold"),
        cancel_url=reverse(LIST, args=[request.tenant.slug]),
    )


@member_required(Permission.PRIVACY)
@require_POST
def release_hold(request: MemberRequest, hold_id: UUID) -> HttpResponse:
    hold = hold_for_member(request.member, hold_id)
    text = _("Released. It keeps everything for seven days more.")
    return pages.attempt(request, lambda: services.release(hold, by=request.member), text, LIST)


def _place(request: MemberRequest, form: HoldForm) -> LegalHold:
    values = form.cleaned_data
    subject = subject_for_member(request.member, values["scope"], values["subject"].strip())
    return services.place(subject, reason=values["reason"], by=request.member)


def _row(request: MemberRequest, hold: LegalHold, name: str) -> Context:
    count = covered(hold).count()
    talks = ngettext("%(n)d conversation", "%(n)d conversations", count) % {"n": count}
    return pages.row(
        [
            cell(name or _("Not there any more"), hint=LegalHold.Scope(hold.scope).label),
            cell(talks),
            cell(hold.reason),
            cell(hold.created_at, kind="time", hint=hold.placed_by.name if hold.placed_by else ""),
            _state(hold),
        ],
        [] if hold.is_released else [_release(request, hold)],
    )


def _state(hold: LegalHold) -> Context:
    if hold.ends_at is None:
        return cell(_("In force"), kind="badge", tone="info")
    if hold.ends_at <= timezone.now():
        return cell(_("Ended"), kind="badge", hint=pages.moment(hold.ends_at))
    hint = _("keeps until {time}").format(time=pages.moment(hold.ends_at))
    return cell(_("Released"), kind="badge", tone="warning", hint=hint)


def _release(request: MemberRequest, hold: LegalHold) -> Context:
    url = reverse("conversations:release-hold", args=[request.tenant.slug, hold.id])
    confirm = _("Release this hold? After seven days policies and erasures go on.")
    label = _("Release the hold")
    return {"label": label, "url": url, "method": "post", "confirm": confirm, "tone": "danger"}
