"""A request of erasure in the words and shapes of the plain templates."""

from collections.abc import Iterable, Mapping
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
    RedactionNotice,
    RedactionTarget,
)
from conversations.services.erasure_proof import remains
from tenants.console.pages import Context, cell, columns, row
from tenants.models import Member

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


def one(slug: str, request: ErasureRequest) -> Context:
    return row(
        [
            cell(_date(request), url=link("", "privacy-request", slug, request.id)["url"]),
            cell(request.get_source_display()),
            _state(request),
            _due(request),
            cell(f"{request.done} / {request.total}", kind="number"),
        ]
    )


def due(slug: str, request: ErasureRequest) -> Due:
    late = request.alarmed_at is not None or request.overdue_at is not None
    return Due(
        at=request.due_at,
        what=_("Request to be erased"),
        state=request.get_state_display(),
        url=link("", "privacy-request", slug, request.id)["url"],
        tone="error" if late else _TONES.get(ErasureState(request.state), "plain"),
    )


def facts(slug: str, request: ErasureRequest) -> list[Context]:
    found = [
        (_("State"), _state(request)),
        (_("Asked by"), cell(request.get_source_display(), hint=_name(request.asked_by))),
        (_("Why"), cell(request.reason or _("Deleted with the rest"))),
        (_("Asked"), cell(request.created_at, kind="time")),
        (_("To be done by") if request.is_open else _("Done"), _due(request)),
    ]
    if request.starts_at and request.state == _S.HOLDING_PERIOD:
        found.append((_("Begins"), cell(request.starts_at, kind="time")))
    if request.total:
        progress = {"kind": "progress", "done": request.done, "total": request.total}
        found.append((_("Rows"), cell(f"{request.done} / {request.total}", **progress)))
    if request.ground:
        found.append((_("Ground"), cell(request.get_ground_display())))
    if request.certificate_id:
        url = link("", "certificate", slug, request.certificate_id)["url"]
        found.append((_("Certificate"), cell(_("Open the certificate"), url=url)))
    return [{"label": label, "cell": value} for label, value in found]


def actions(slug: str, request: ErasureRequest, member: Member) -> list[Context]:
    ids = (slug, request.id)
    found: list[Context] = []
    if request.state == _S.AWAITING_APPROVAL and request.asked_by_id != member.id:
        found.append(link(_("Agree"), "approve-erasure", *ids, method="post", tone="primary"))
    if request.state in {_S.FAILED, _S.PARTIALLY_HELD}:
        found.append(link(_("Try again"), "run-erasure-again", *ids, method="post", tone="primary"))
    if request.state in _BEFORE:
        found.append(link(_("Do not carry it out"), "refuse-erasure", *ids))
    return found


def notice(request: ErasureRequest) -> Context | None:
    if request.state == _S.FAILED:
        return {"tone": "error", "text": _failures().get(request.failure, request.failure)}
    texts = {
        _S.HELD: _(
            "A legal hold covers this customer. Nothing is deleted or hidden. The request goes on"
            " by itself when the hold has ended."
        ),
        _S.PARTIALLY_HELD: _(
            "A legal hold keeps a part. The rest is erased; this goes on by itself when the hold"
            " has ended."
        ),
        _S.AWAITING_APPROVAL: _("Many people at once today: a second teammate must agree."),
        _S.REQUESTED: _("The person got a link by e-mail. Nothing happens before they use it."),
    }
    if text := texts.get(ErasureState(request.state)):
        return {"tone": "warning", "text": text}
    if request.is_open and request.alarmed_at:
        return {
            "tone": "error",
            "text": _("More than ten days have gone by. See what it waits for."),
        }
    return None


def sections(request: ErasureRequest, notices: Iterable[RedactionNotice]) -> list[Context]:
    evidence = request.evidence
    found: list[Context] = [{"title": _("Steps"), "facts": _steps(request)}]
    if deleted := evidence.get("deleted"):
        found.append(_table(_("What was deleted"), [_("Store"), _("Rows")], _counted(deleted)))
    if scan := evidence.get("scan"):
        found.append(
            _table(
                _("What the scanner saw"),
                [_("Store"), _("Read"), _("Control"), _("Found")],
                [_scanned(name, store) for name, store in scan["stores"].items()],
            )
        )
    told = [_told(notice) for notice in notices]
    if told:
        found.append(_table(_("Other systems"), [_("Name"), _("State"), _("Receipt")], told))
    if request.executed_at:
        kept = [_kept(one) for one in remains(request)]
        found.append(_table(_("What remains"), [_("What"), _("Why"), _("Until")], kept))
    return found


def whom_and_what(customer: Customer, counts: Mapping[str, int]) -> str:
    """Who it is, so that nobody erases the wrong one; then counts by store, and no words."""
    who = " · ".join(filter(None, [customer_name(customer), customer.email]))
    since = timezone.localtime(customer.created_at).strftime("%d %b %Y")
    return f"{who} · {_('first seen')} {since}. {_counts(counts)}"


def _counts(counts: Mapping[str, int]) -> str:
    total = sum(counts.values())
    rows = ngettext("%(count)d row goes", "%(count)d rows go", total) % {"count": total}
    stores = ", ".join(f"{name}: {count}" for name, count in sorted(counts.items()))
    return f"{rows} ({stores})." if stores else f"{rows}."


def target(slug: str, one: RedactionTarget) -> Context:
    remove = link(_("Remove"), "remove-privacy-target", slug, one.id, method="post",
                  confirm=_("It is told nothing any more. Remove it?"))  # fmt: skip
    return row([cell(one.label), cell(one.url, kind="code")], [remove])


def _state(request: ErasureRequest) -> Context:
    tone = _TONES.get(ErasureState(request.state), "plain")
    return cell(request.get_state_display(), kind="badge", tone=tone)


def _due(request: ErasureRequest) -> Context:
    if not request.is_open:
        return cell(request.certified_at, kind="time")
    days = (request.due_at - timezone.now()).days
    left = ngettext("%(days)d day left", "%(days)d days left", max(days, 0)) % {"days": days}
    return cell(request.due_at, kind="time", hint=left)


def _steps(request: ErasureRequest) -> list[Context]:
    times = [
        (_("Confirmed"), request.verified_at),
        (_("Hidden from everybody"), request.hidden_at),
        (_("Erased"), request.executed_at),
        (_("Proven clean"), request.proven_at),
        (_("Certified"), request.certified_at),
    ]
    return [{"label": label, "cell": cell(at, kind="time")} for label, at in times]


def _table(title: str, labels: list[str], found: list[Context]) -> Context:
    return {"title": title, "columns": columns(*labels), "rows": found}


def _counted(counts: Mapping[str, int]) -> list[Context]:
    return [row([cell(name), cell(count, kind="number")]) for name, count in sorted(counts.items())]


def _scanned(name: str, store: Mapping[str, Any]) -> Context:
    hits = ", ".join(f"{where}: {count}" for where, count in sorted(store["hits"].items()))
    control = _("Found") if store["control"] else _("Not found")
    tone = "success" if store["control"] else "error"
    return row(
        [
            cell(name),
            cell(store["read"], kind="number"),
            cell(control, kind="badge", tone=tone),
            cell(hits or _("Nothing"), kind="badge", tone="error" if hits else "success"),
        ]
    )


def _told(notice: RedactionNotice) -> Context:
    tones = {"acknowledged": "success", "given_up": "error"}
    state = cell(notice.get_state_display(), kind="badge", tone=tones.get(notice.state, "plain"))
    return row([cell(notice.target.label), state, cell(notice.acknowledged_at, kind="time")])


def _kept(one: Mapping[str, Any]) -> Context:
    return row([cell(one["what"]), cell(one["why"]), cell(str(one["until"] or "–")[:10])])


def _date(request: ErasureRequest) -> str:
    return timezone.localtime(request.created_at).strftime("%d %b %Y, %H:%M")


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
