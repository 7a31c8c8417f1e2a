"""Certificates: the list, one of them, and its files."""

from collections.abc import Callable
from uuid import UUID

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from conversations.access import certificate_for_member, parse_id
from conversations.console import privacy_pages
from conversations.models import Certificate
from conversations.privacy import certificate_file as files
from conversations.privacy.certificate_words import RECIPE, Counted, Said, Scanned, said
from conversations.selectors.certificates import certificates
from tenants.console.pages import Context, cell, columns, number, place, row
from tenants.errors import NotFound
from tenants.gates.members import MemberRequest, member_required
from tenants.gates.reading import read_is_recorded
from tenants.permissions import Permission

_PAGE = 50
_FILES: dict[str, tuple[str, Callable[[Certificate], bytes]]] = {
    "pdf": ("application/pdf", files.as_pdf),
    "html": ("text/html; charset=utf-8", files.as_html),
    "json": ("application/json", files.as_json),
}


@member_required(Permission.PRIVACY)
@require_safe
def privacy_certificates(request: MemberRequest) -> HttpResponse:
    before = request.GET.get("before")
    found = certificates(before=parse_id(before) if before else None, limit=_PAGE + 1)
    shown = found[:_PAGE]
    return privacy_pages.table(
        request,
        privacy_pages.CERTIFICATES,
        title=_("Certificates"),
        lede=_("What the desk certifies about deletions, signed so that anybody can check it."),
        columns=columns(_("Certificate"), _("Issued"), _("Number")),
        rows=[_row(request, one) for one in shown],
        empty={
            "title": _("No certificate yet"),
            "text": _("Each finished erasure leaves one here, signed, to hand to whoever asks."),
        },
        next_url=f"?before={shown[-1].id}" if len(found) > _PAGE else None,
    )


@member_required(Permission.PRIVACY)
@require_safe
@read_is_recorded
def certificate(request: MemberRequest, certificate_id: UUID) -> HttpResponse:
    found = certificate_for_member(request.member, certificate_id)
    words = said(found.body, found.public_key)
    return privacy_pages.detail(
        request,
        privacy_pages.CERTIFICATES,
        title=words.title,
        lede=_(
            "Signed when it was issued. Each file below holds the signature: anybody can check it."
        ),
        actions=[
            {"label": label, "url": _url(request, "certificate-file", found.id, kind)}
            for kind, label in _downloads()
        ],
        facts=_facts(words.facts),
        sections=_sections(words, found),
    )


@member_required(Permission.PRIVACY)
@require_safe
def certificate_file(request: MemberRequest, certificate_id: UUID, kind: str) -> HttpResponse:
    found = certificate_for_member(request.member, certificate_id)
    if kind not in _FILES:
        raise NotFound
    content_type, write = _FILES[kind]
    name = f"certificate-{found.kind}-{found.id}.{kind}"
    return HttpResponse(
        write(found),
        content_type=content_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _row(request: MemberRequest, one: Certificate) -> Context:
    return row(
        [
            cell(one.get_kind_display(), url=_url(request, "certificate", one.id)),
            cell(one.created_at, kind="time"),
            cell(str(one.id), kind="code"),
        ]
    )


def _downloads() -> list[tuple[str, str]]:
    return [("pdf", _("Save as PDF")), ("html", _("Save as HTML")), ("json", _("Save as JSON"))]


def _sections(words: Said, found: Certificate) -> list[Context]:
    proof = [*words.proof, (_("Signature (Ed25519)"), found.signature)]
    return [
        *_counts(_("What was found beforehand"), words.found),
        *_counts(_("What was deleted"), words.counts),
        *_scan(words.scan),
        {
            "title": _("What remains, and why"),
            "columns": columns(_("What"), _("Why"), _("Until")),
            "rows": [row([cell(part) for part in one], None) for one in words.remains],
            "empty": _("Nothing that this certificate is about."),
        },
        *([{"title": _("Hashes"), "facts": _facts(words.hashes)}] if words.hashes else []),
        {"title": _("Proof"), "facts": _facts(proof, kind="code")},
        {"title": _("How to check it"), "steps": words.checking, "code": RECIPE},
    ]


def _counts(title: str, counts: list[Counted]) -> list[Context]:
    rows = [row([place(one.store), cell(one.rows, kind="number")], None) for one in counts]
    if not rows:
        return []
    return [{"title": title, "columns": columns(_("What"), number(_("Rows"))), "rows": rows}]


def _scan(scan: list[Scanned]) -> list[Context]:
    if not scan:
        return []
    rows = [
        row([place(store), cell(read, kind="number"), cell(hits, kind="number")], None)
        for store, read, hits in scan
    ]
    heads = columns(_("Place"), number(_("Read")), number(_("Found")))
    return [{"title": _("Where the scanner looked afterwards"), "columns": heads, "rows": rows}]


def _facts(pairs: list[tuple[str, str]], *, kind: str = "text") -> list[Context]:
    return [{"label": label, "cell": cell(value, kind=kind)} for label, value in pairs]


def _url(request: MemberRequest, name: str, *ids: UUID | str) -> str:
    return reverse(f"conversations:{name}", args=[request.tenant.slug, *ids])
