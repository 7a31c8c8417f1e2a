"""A request of erasure in the words and shapes of the plain templates."""

import math
from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from conversations.console.present import customer_name
from conversations.console.privacy_due import Due
from conversations.models import (
    Customer,
    ErasureRequest,
    ErasureState,
    RedactionTarget,
)
from tenants.console.pages import Context, cell, row
from tenants.models import Member
from tenants.personal_data import named

_S = ErasureState
_TONES = {
    _S.CERTIFIED: "success",
    _S.VERIFIED_CLEAN: "success",
    _S.FAILED: "error",
    _S.HELD: "warning",
    _S.PARTIALLY_HELD: "warning",
    _S.AWAITING_APPROVAL: "warning",
}
_BEFORE = {_S.REQUESTED, _S.VERIFIED, _S.AWAITING_APPROVAL, _S.HOLDING_PERIOD, _S.HELD}


def link(label: str, name: str, *ids: Any, **options: Any) -> Context:
    return {"label": label, "url": reverse(f"conversations:{name}", args=ids), **options}


def moves(request: ErasureRequest) -> bool:
    """Whether the page is worth looking at again in a moment."""
    return request.state in {_S.RUNNING, _S.EXECUTED, _S.VERIFIED_CLEAN}


def one(slug: str, request: ErasureRequest, person: Customer | None) -> Context:
    url = link("", "privacy-request", slug, request.id)["url"]
    return row(
        [
            cell(_whom(request, person), url=url),
            cell(request.created_at, kind="time", hint=request.get_source_display()),
            _state(request),
            _due(request),
            cell(_progress(request) or "–", kind="number"),
        ],
        None,
    )


def due(slug: str, request: ErasureRequest, person: Customer | None) -> Due:
    late = request.alarmed_at is not None or request.overdue_at is not None
    return Due(
        at=request.due_at,
        what=_("Request to be erased"),
        who=_whom(request, person),
        state=request.get_state_display(),
        url=link("", "privacy-request", slug, request.id)["url"],
        tone="error" if late else _TONES.get(ErasureState(request.state), "plain"),
    )


def facts(slug: str, request: ErasureRequest, person: Customer | None) -> list[Context]:
    asked_by = cell(request.get_source_display(), hint=_name(request.asked_by))
    found = [
        (_("State"), _state(request)),
        (_("Who"), _person(slug, request, person)),
        (_("Asked by"), asked_by),
        (_("Why"), cell(request.reason or _("Not kept: it is deleted with the rest"))),
        (_("Asked"), cell(request.created_at, kind="time")),
    ]
    if request.is_open:
        found.append((_("To be done by"), _due(request)))
    elif request.certified_at:
        found.append((_("Done"), _due(request)))
    if request.starts_at and request.state == _S.HOLDING_PERIOD:
        found.append((_("Begins"), cell(request.starts_at, kind="time")))
    if request.approved_by:
        found.append((_("Agreed to by"), cell(request.approved_by.name)))
    if request.total:
        progress = {"kind": "progress", "done": request.done, "total": request.total}
        found.append((_("Rows erased"), cell(_progress(request), **progress)))
    if request.ground:
        found.append((_("Ground"), cell(request.get_ground_display())))
    return [{"label": label, "cell": value} for label, value in found]


def actions(slug: str, request: ErasureRequest, member: Member) -> list[Context]:
    ids = (slug, request.id)
    found: list[Context] = []
    if request.state == _S.AWAITING_APPROVAL and request.asked_by_id != member.id:
        agree = link(_("Agree to the erasure"), "approve-erasure", *ids, method="post")
        sure = _("Agree? What is erased cannot be brought back.")
        found.append(agree | {"tone": "primary", "confirm": sure})
    if request.state in {_S.FAILED, _S.PARTIALLY_HELD}:
        found.append(link(_("Try again"), "run-erasure-again", *ids, method="post", tone="primary"))
    if request.state in _BEFORE:
        found.append(link(_("Refuse this request"), "refuse-erasure", *ids, tone="danger"))
    if request.certificate_id:
        opened = link(_("Open the certificate"), "certificate", slug, request.certificate_id)
        found.append(opened | {"tone": "primary"})
    return found


def notice(slug: str, request: ErasureRequest, member: Member) -> Context | None:
    if request.state == _S.FAILED:
        return {"tone": "error", "text": _failures().get(request.failure, request.failure)}
    if text := _waiting(request, member):
        shown: Context = {"tone": "warning", "text": text}
        if request.state in {_S.HELD, _S.PARTIALLY_HELD}:
            shown["link"] = link(_("See the holds"), "privacy-holds", slug)
        return shown
    if request.state == _S.REFUSED:
        text = _("Nothing was erased. Tell the person why, if you have not done so yet.")
        return {"tone": "info", "text": text}
    if request.is_open and request.alarmed_at:
        return {
            "tone": "error",
            "text": _("More than ten days have gone by. See what it waits for."),
        }
    return None


def _waiting(request: ErasureRequest, member: Member) -> str:
    second = (
        _("You asked for this one, so a teammate with the privacy right must agree.")
        if request.asked_by_id == member.id
        else _("Look at who it is and why, then agree or refuse.")
    )
    texts = {
        _S.HELD: _(
            "A legal hold covers this customer. Nothing is deleted or hidden. The request goes on"
            " by itself when the hold has ended."
        ),
        _S.PARTIALLY_HELD: _(
            "A legal hold keeps a part. The rest is erased; this goes on by itself when the hold"
            " has ended."
        ),
        _S.AWAITING_APPROVAL: f"{_('Many people are to be erased today.')} {second}",
        _S.REQUESTED: _(
            "The person got a link by e-mail, which works for seven days. Nothing is deleted before"
            " they use it; without it the request ends by itself."
        ),
    }
    return texts.get(ErasureState(request.state), "")


def subject_facts(customer: Customer, counts: Mapping[str, int]) -> list[Context]:
    """Who it is, so that nobody erases the wrong one; then counts by store, and no words."""
    stores = sorted((named(code).title, count) for code, count in counts.items())
    what = " · ".join(f"{title}: {count:,}" for title, count in stores)
    found = [
        (_("Who"), cell(customer_name(customer), hint=customer.email)),
        (_("First seen"), cell(customer.created_at, kind="time")),
        (_("What goes"), cell(_rows(sum(counts.values())), hint=what)),
    ]
    return [{"label": label, "cell": value} for label, value in found]


def _rows(count: int) -> str:
    return ngettext("%(n)s row", "%(n)s rows", count) % {"n": f"{count:,}"}


def target(slug: str, one: RedactionTarget) -> Context:
    confirm = _("It is told nothing any more. Remove it?")
    remove = link(_("Remove"), "remove-privacy-target", slug, one.id, method="post")
    remove |= {"tone": "danger", "confirm": confirm}
    return row([cell(one.label), cell(one.url, kind="code")], [remove])


def _state(request: ErasureRequest) -> Context:
    tone = _TONES.get(ErasureState(request.state), "plain")
    return cell(request.get_state_display(), kind="badge", tone=tone)


def _due(request: ErasureRequest) -> Context:
    if not request.is_open:
        return cell(request.certified_at, kind="time")
    days = math.ceil((request.due_at - timezone.now()).total_seconds() / 86400)
    left = ngettext("%(days)d day left", "%(days)d days left", days) % {"days": days}
    return cell(request.due_at, kind="time", hint=left if days > 0 else _("overdue"))


def _whom(request: ErasureRequest, person: Customer | None) -> str:
    """By name as long as the desk shows them; afterwards by the end of the pseudonym."""
    if person:
        return customer_name(person)
    return _("Person …%(tail)s") % {"tail": str(request.subject)[-8:]}


def _person(slug: str, request: ErasureRequest, person: Customer | None) -> Context:
    if person is None:
        return cell(
            str(request.subject),
            kind="code",
            hint=_("A pseudonym: the desk shows no name any more"),
        )
    url = link("", "customer", slug, person.id)["url"]
    return cell(customer_name(person), url=url, hint=person.email)


def _progress(request: ErasureRequest) -> str:
    if not request.total:
        return ""
    return _("%(done)s of %(total)s") % {
        "done": f"{request.done:,}",
        "total": f"{request.total:,}",
    }


def _name(member: Member | None) -> str:
    return member.name if member else ""


def _failures() -> dict[str, str]:
    return {
        "no_backup_role": _(
            "Nothing can be proven: the operator must set BACKUP_DATABASE_URL. Then try again."
        ),
        "fewer_deleted_than_found": _(
            "Fewer rows were deleted than were found. Try again; if it stays so, call the operator."
        ),
        "scanner_blind": _(
            "The scanner could not read every store. The operator must look; then try again."
        ),
        "left_behind": _(
            "Words of the person are still somewhere: see below where. Remove them, then try again."
        ),
    }
