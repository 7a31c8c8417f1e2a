"""An export in the words and shapes of the plain templates."""

from typing import Any

from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.translation import gettext as _

from conversations.console.privacy_due import Due
from conversations.models import ExportRequest
from conversations.selectors.exports import FileOfExport
from conversations.services.exporting import progress_of
from tenants.console import audit_words
from tenants.console.pages import Context, cell, columns, moment, number, row
from tenants.models import AuditEntry
from tenants.personal_data import named

_State = ExportRequest.State
_TONES = {_State.READY: "success", _State.FAILED: "error", _State.ENDED: "plain"}


def moves(export: ExportRequest) -> bool:
    """Whether the page is worth looking at again in a moment."""
    return export.state in (_State.QUEUED, _State.BUILDING)


def due(slug: str, export: ExportRequest) -> Due:
    return Due(
        at=export.expires_at or export.created_at,
        what=_("Export that is being made") if moves(export) else _("Export to be downloaded"),
        who=name(export),
        state=_state(export),
        url=url("privacy-export", slug, export),
        tone=_tone(export),
    )


def one(slug: str, export: ExportRequest) -> Context:
    return row(
        [
            cell(name(export), url=url("privacy-export", slug, export)),
            cell(_state(export), kind="badge", tone=_tone(export)),
            cell(export.done, kind="number"),
            cell(export.created_at, kind="time"),
            cell(export.expires_at, kind="time"),
        ],
        None,
    )


def facts(export: ExportRequest, asked: list[AuditEntry], names: dict[Any, str]) -> list[Context]:
    asked_by = audit_words.who(asked[0], names) if asked else export.get_by_kind_display()
    found = [
        (_("State"), cell(_state(export), kind="badge", tone=_tone(export))),
        (_("Of"), cell(name(export))),
        (_("Asked by"), cell(asked_by)),
        (_("Asked"), cell(export.created_at, kind="time")),
        (_("Private notes"), cell(_("Go along") if export.notes else _("Stay here"))),
    ]
    if moves(export):
        percent = progress_of(export)
        progress = cell(f"{percent} %", kind="progress", done=percent, total=100)
        return _labelled([*found, (_("Progress"), progress)])
    if export.size:
        found += [
            (_("Rows"), cell(export.done)),
            (_("Size"), cell(filesizeformat(export.size))),
        ]
    if export.expires_at:
        label = _("Deleted on") if export.can_be_fetched else _("Kept until")
        found.append((label, cell(export.expires_at, kind="time")))
    if export.manifest_sha256:
        manifest = cell(export.manifest_sha256, kind="code")
        found.append((_("SHA-256 of the list of files"), manifest))
    return _labelled(found)


def downloads(export: ExportRequest, found: list[AuditEntry], names: dict[Any, str]) -> Context:
    """Who has fetched it, and when: from the record, so that nobody can have it otherwise."""
    return {
        "title": _("Downloads"),
        "columns": columns(_("When"), _("Who")),
        "rows": [
            row([cell(one.created_at, kind="time"), cell(audit_words.who(one, names))], None)
            for one in found
        ],
        "empty": _("Nobody has downloaded it.") if export.ready_at else _("Not ready yet."),
    }


def contents(files: list[FileOfExport]) -> Context:
    """What lies in the copy, called as on the other pages."""
    told = sorted((named(file.code).title, file) for file in files)
    return {
        "title": _("What it holds"),
        "columns": columns(_("What"), number(_("Rows")), number(_("Size"))),
        "rows": [
            row(
                [
                    cell(title, hint=file.path, hint_kind="code"),
                    cell(file.rows, kind="number"),
                    cell(filesizeformat(file.size), kind="number"),
                ],
                None,
            )
            for title, file in told
        ],
    }


def acts(slug: str, export: ExportRequest) -> list[Context]:
    found = []
    if export.can_be_fetched:
        found.append(
            {
                "label": _("Ask for a new link") if _had_link(export) else _("Download"),
                "url": url("fetch-export", slug, export),
                "tone": "primary",
            }
        )
    if export.state not in (_State.ENDED, _State.FAILED):
        found.append(
            {
                "label": _("Delete this copy now"),
                "url": url("withdraw-export", slug, export),
                "method": "post",
                "tone": "danger",
                "confirm": _("Delete this copy? Nobody can fetch it any more."),
            }
        )
    return found


def _had_link(export: ExportRequest) -> bool:
    return export.link_hash is not None or export.fetched_at is not None


def notice(export: ExportRequest) -> Context | None:
    if export.state == _State.FAILED:
        text = _("This copy could not be made and nothing of it was kept. Ask for a new one.")
        return {"tone": "error", "text": text}
    if moves(export):
        return {"tone": "info", "text": _("It is being made. This page shows when it is ready.")}
    if not export.can_be_fetched:
        return {"tone": "info", "text": _("What was copied is deleted. Ask for a new export.")}
    return None


def begun(export: ExportRequest, address: str, by: str) -> Context:
    """After the password: the file is on its way, and what became of its link."""
    text = _(
        "Your download has begun. Its link was made for %(name)s and works once. To download again,"
        " until %(until)s, ask for a new link."
    )
    until = moment(export.expires_at) if export.expires_at else ""
    return {
        "tone": "success",
        "text": text % {"name": by, "until": until},
        "link": {"label": _("Nothing was saved? Use the link by hand."), "url": address},
        "focus": True,
    }


def refused_link(export: ExportRequest, last: AuditEntry | None, names: dict[Any, str]) -> Context:
    """Of a link that gives no file: what became of it, and what to do."""
    if not export.can_be_fetched:
        text = _("This export has ended and what it held is deleted. Ask for a new export.")
    elif export.link_hash is None and last is not None:
        text = _(
            "This link was used on %(when)s by %(who)s and works only once. Ask for a new link."
        ) % {
            "when": moment(last.created_at),
            "who": audit_words.who(last, names),
        }
    else:
        text = _(
            "This link is not valid for you: a newer one was made, or it was made for a teammate."
            " Ask for a new link."
        )
    return {"tone": "error", "text": text, "focus": True}


def name(export: ExportRequest) -> str:
    if export.kind == ExportRequest.Kind.TENANT:
        return _("Everything of this workspace")
    return (export.customer and export.customer.name) or _("A visitor")


def url(view: str, slug: str, export: ExportRequest) -> str:
    return reverse(f"conversations:{view}", args=[slug, export.id])


def _labelled(found: list[tuple[str, Context]]) -> list[Context]:
    return [{"label": label, "cell": value} for label, value in found]


def _state(export: ExportRequest) -> str:
    if export.state == _State.BUILDING:
        return f"{export.get_state_display()} · {progress_of(export)} %"
    return export.get_state_display()


def _tone(export: ExportRequest) -> str:
    return _TONES.get(_State(export.state), "info")
