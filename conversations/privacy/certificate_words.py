"""What a certificate says, in words and tables: the same for the page, the file and the print."""

import json
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from conversations.models import Certificate
from tenants import signing
from tenants.personal_data import Named, named, plain

# Told in the head, or in tables of their own.
_ELSEWHERE = {
    "counts", "found", "scan", "remains", "hashes", "started_at", "finished_at", "scanner",
}  # fmt: skip
_LABELS = {
    "asked_at": lazy("Asked"),
    "due_at": lazy("To be done by"),
    "ordered_at": lazy("Ordered"),
    "request": lazy("Number of the request"),
    "subject": lazy("Pseudonym of the person"),
}


# For whoever has nothing but common tools. The octal bytes say "an Ed25519 key follows".
RECIPE = r"""jq -j .body certificate.json > body
jq -r .signature certificate.json | base64 -d > signature
{ printf '\060\052\060\005\006\003\053\145\160\003\041\000'
  jq -r .public_key certificate.json | base64 -d; } > key.der
openssl pkeyutl -verify -pubin -keyform DER -inkey key.der -rawin -in body -sigfile signature"""


class Counted(NamedTuple):
    """So many rows of one store."""

    store: Named
    rows: int


class Scanned(NamedTuple):
    """A place that the scanner looked through: how much it read, and how often it found them."""

    store: Named
    read: int
    hits: int


class Remaining(NamedTuple):
    """Something that was not erased: why it stays, and until when."""

    what: str
    why: str
    until: str


class Said(NamedTuple):
    """A certificate as people read it."""

    title: str
    facts: list[tuple[str, str]]
    found: list[Counted]
    counts: list[Counted]
    scan: list[Scanned]
    remains: list[Remaining]
    hashes: list[tuple[str, str]]
    proof: list[tuple[str, str]]
    checking: list[str]


def said(body: str, public_key: str) -> Said:
    """Everything that was signed; a fact without words of its own is shown under its code."""
    document = json.loads(body)
    facts = document["facts"]
    return Said(
        title=str(Certificate.Kind(document["kind"]).label),
        facts=[*_head(document), *_figures(facts)],
        found=_counted(facts.get("found", {})),
        counts=_counted(facts.get("counts", {})),
        scan=_scanned(facts.get("scan", {})),
        remains=[_remaining(one) for one in facts.get("remains", [])],
        hashes=sorted((plain(name), value) for name, value in facts.get("hashes", {}).items()),
        proof=_proof(document, public_key),
        checking=_checking(),
    )


def _counted(counts: dict[str, int]) -> list[Counted]:
    return sorted(Counted(named(code), rows) for code, rows in counts.items())


def _scanned(scan: dict[str, dict[str, int]]) -> list[Scanned]:
    return sorted(Scanned(named(code), one["read"], one["hits"]) for code, one in scan.items())


def _head(document: dict[str, Any]) -> list[tuple[str, str]]:
    facts, workspace = document["facts"], document["workspace"]
    told = [
        (_("Number"), document["id"]),
        (_("Workspace"), workspace["name"]),
        (_("Address of the workspace"), workspace["slug"]),
        (_("Issued"), _time(document["issued_at"])),
        (_("Begun"), _time(facts.get("started_at"))),
        (_("Finished"), _time(facts.get("finished_at"))),
        (_("Version of the scanner"), facts.get("scanner", "")),
    ]
    return [(label, value) for label, value in told if value]


def _figures(facts: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (str(_LABELS.get(name) or plain(name)), _text(value))
        for name, value in sorted(facts.items())
        if name not in _ELSEWHERE
    ]


def _proof(document: dict[str, Any], public_key: str) -> list[tuple[str, str]]:
    head = document["audit"]
    return [
        (_("Signed with the key"), signing.key_id(public_key)),
        (_("The audit record then ended at"), f"{head['seq']}:{head['hash']}"),
    ]


def _checking() -> list[str]:
    """How anybody finds out whether it is true, without asking the desk."""
    keys = f"{settings.PUBLIC_URL}/.well-known/turnstone-certificate-keys.json"
    return [
        _("Save the desk's public keys once: %(keys)s") % {"keys": keys},
        _(
            "On any machine with the desk's program, no network needed: ./desk manage"
            " verify_certificate FILE --keys turnstone-certificate-keys.json. It answers TRUE or"
            " FALSE and prints what was signed, to compare with this page."
        ),
        _(
            "Without the program: save the JSON file as certificate.json, see that public_key is"
            " among the desk's, and check the signature over the bytes of body like this:"
        ),
    ]


def _remaining(one: dict[str, Any]) -> Remaining:
    until = one.get("until")
    return Remaining(one["what"], one.get("why", ""), _time(until) if until else _("For good"))


def _time(value: Any) -> str:
    at = parse_datetime(value) if value else None
    if not isinstance(at, datetime):
        return str(value or "")
    return f"{at.astimezone(UTC):%-d %b %Y, %H:%M} UTC"


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{plain(name)} {_text(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        return ", ".join(_text(one) for one in value)
    if isinstance(value, int):
        return f"{value:,}"
    return _time(value) if isinstance(value, str) and value[:2] == "20" else str(value or "–")
