"""What a certificate says, in words and tables: the same for the page, the file and the print."""

import json
from datetime import datetime
from typing import Any, NamedTuple

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from conversations.models import Certificate
from tenants import signing

_TABLES = ("counts", "remains", "hashes")
_ELSEWHERE = (*_TABLES, "started_at", "finished_at", "scanner")


class Remaining(NamedTuple):
    """Something that was not erased: why it stays, and until when."""

    what: str
    why: str
    until: str


class Said(NamedTuple):
    """A certificate as people read it."""

    title: str
    facts: list[tuple[str, str]]
    counts: list[tuple[str, int]]
    remains: list[Remaining]
    hashes: list[tuple[str, str]]
    proof: list[tuple[str, str]]


def said(body: str, public_key: str) -> Said:
    """Everything that was signed; a fact without words of its own is shown under its code."""
    document = json.loads(body)
    facts = document["facts"]
    return Said(
        title=Certificate.Kind(document["kind"]).label,
        facts=[*_head(document), *_figures(facts)],
        counts=sorted((_plain(store), rows) for store, rows in facts.get("counts", {}).items()),
        remains=[_remaining(one) for one in facts.get("remains", [])],
        hashes=sorted((_plain(name), value) for name, value in facts.get("hashes", {}).items()),
        proof=_proof(document, public_key),
    )


def _head(document: dict[str, Any]) -> list[tuple[str, str]]:
    facts, workspace = document["facts"], document["workspace"]
    named = [
        (_("Number"), document["id"]),
        (_("Workspace"), workspace["name"]),
        (_("Address of the workspace"), workspace["slug"]),
        (_("Issued"), _time(document["issued_at"])),
        (_("Begun"), _time(facts.get("started_at"))),
        (_("Finished"), _time(facts.get("finished_at"))),
        (_("Scanner"), facts.get("scanner", "")),
    ]
    return [(label, value) for label, value in named if value]


def _figures(facts: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (_plain(name).capitalize(), _text(value))
        for name, value in sorted(facts.items())
        if name not in _ELSEWHERE
    ]


def _proof(document: dict[str, Any], public_key: str) -> list[tuple[str, str]]:
    head = document["audit"]
    return [
        (_("Signed with the key"), signing.key_id(public_key)),
        (_("The audit record then ended at"), f"{head['seq']}:{head['hash']}"),
    ]


def _remaining(one: dict[str, Any]) -> Remaining:
    until = one.get("until")
    return Remaining(one["what"], one.get("why", ""), _time(until) if until else "–")


def _time(value: Any) -> str:
    at = parse_datetime(value) if value else None
    return f"{at:%Y-%m-%d %H:%M} UTC" if isinstance(at, datetime) else str(value or "")


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{_plain(name)} {_text(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        return ", ".join(_text(one) for one in value)
    return "–" if value is None else str(value)


def _plain(code: str) -> str:
    return code.replace("_", " ")
