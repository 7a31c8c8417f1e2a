"""What proves an erasure: its steps, what went, what the scanner saw, what remains and why."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from conversations.models import ErasureRequest, ErasureState, RedactionNotice
from conversations.services.erasure_proof import remains
from tenants.console.pages import Context, cell, columns, number, place, row
from tenants.personal_data import named

_S = ErasureState


def sections(request: ErasureRequest, notices: Iterable[RedactionNotice]) -> list[Context]:
    evidence = request.evidence
    found: list[Context] = [{"title": _("Steps"), "path": _path(request)}]
    if deleted := evidence.get("deleted"):
        heads = [_("What"), number(_("Rows"))]
        found.append(_table(_("What was deleted"), heads, counted(deleted)))
    if scan := evidence.get("scan"):
        seen = [_scanned(name, store) for name, store in scan["stores"].items()]
        heads = [_("Place"), number(_("Read")), _("Test word"), _("Of the person")]
        found.append(_table(_("Where the scanner looked afterwards"), heads, seen))
    told = [_told(notice) for notice in notices]
    if told:
        heads = [_("Name"), _("State"), _("Receipt")]
        found.append(_table(_("Other systems that were told"), heads, told))
    if request.executed_at:
        kept = [_kept(one) for one in remains(request)]
        found.append(_table(_("What remains, and why"), [_("What"), _("Why"), _("Until")], kept))
    return found


def counted(counts: Mapping[str, int]) -> list[Context]:
    """Rows by store, in people's words."""
    stores = sorted((named(code), count) for code, count in counts.items())
    return [row([place(store), cell(count, kind="number")], None) for store, count in stores]


def _path(request: ErasureRequest) -> list[Context]:
    """From the asking to the certificate: what is behind it, where it stands, what comes."""
    times = [
        (_("Asked"), request.created_at),
        (_("Confirmed that it is really them"), request.verified_at),
        (_("Hidden from everybody"), request.hidden_at),
        (_("Erased"), request.executed_at),
        (_("Proven: the scanner found nothing"), request.proven_at),
        (_("Certified"), request.certified_at),
    ]
    ahead = "not" if request.state == _S.REFUSED else "next"
    path = [{"label": one, "at": at, "state": "done" if at else ahead} for one, at in times]
    if now := next((step for step in path if step["state"] == "next"), None):
        now |= {"state": "now", "hint": _waits_for(request)}
    return path


def _waits_for(request: ErasureRequest) -> str:
    texts = {
        _S.REQUESTED: _("Waits for the person to use the link in the e-mail."),
        _S.AWAITING_APPROVAL: _("Waits for a second teammate to agree."),
        _S.HOLDING_PERIOD: _("Waits until the waiting period of this workspace is over."),
        _S.HELD: _("Waits until the legal hold has ended."),
        _S.PARTIALLY_HELD: _("Waits until the legal hold on a part has ended."),
        _S.RUNNING: _("Under way. It goes on by itself, even if this page is closed."),
        _S.EXECUTED: _("The scanner reads every store. This may take some minutes."),
        _S.FAILED: _("Stopped: see above what to do."),
    }
    return texts.get(ErasureState(request.state), _("Next."))


def _table(title: str, heads: list[Any], found: list[Context]) -> Context:
    return {"title": title, "columns": columns(*heads), "rows": found}


def _scanned(name: str, store: Mapping[str, Any]) -> Context:
    hits = ", ".join(
        f"{named(where).title}: {count}" for where, count in sorted(store["hits"].items())
    )
    control = _("Found") if store["control"] else _("Not found")
    tone = "success" if store["control"] else "error"
    return row(
        [
            place(named(name)),
            cell(store["read"], kind="number"),
            cell(control, kind="badge", tone=tone),
            cell(hits or _("Nothing found"), kind="badge", tone="error" if hits else "success"),
        ],
        None,
    )


def _told(notice: RedactionNotice) -> Context:
    tones = {"acknowledged": "success", "given_up": "error"}
    state = cell(notice.get_state_display(), kind="badge", tone=tones.get(notice.state, "plain"))
    cells = [cell(notice.target.label), state, cell(notice.acknowledged_at, kind="time")]
    return row(cells, None)


def _kept(one: Mapping[str, Any]) -> Context:
    until = one["until"]
    at = parse_datetime(until) if isinstance(until, str) else until
    end = cell(at, kind="time") if at else cell(_("For good"))
    return row([cell(one["what"]), cell(one["why"]), end], None)
