"""Nobody is told that somebody is erased before it was looked for and not found.

`executed` is what the eraser says; `verified_clean` is what the scanner saw.
"""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from conversations.models import ErasureRequest, ErasureState, RedactionNotice
from conversations.privacy.database import connect
from conversations.privacy.report import Report
from conversations.privacy.scanner import Wanted, scan_for
from conversations.privacy.survey import survey
from conversations.services.certificates import issue
from conversations.services.erasure_seal import Sealed, unseal
from conversations.services.erasure_states import ALARM, ERASURE, REMINDER, locked, move
from tenants import due
from tenants.due import Work

# What is on its way (a doorbell in the broker, a log line) may need a moment to go.
SCANS = 4
_PAUSE_SECONDS = 15.0
# A scan of a large database; if its worker dies, another begins after this long.
_LEASE_SECONDS = 1800.0
BACKUP_DAYS = 35


def prove(work: Work) -> None:
    """Count again as another role, scan every store, certify; or say where something is left."""
    with work.scope():
        request = locked(work.ref_id)
        if request.state != ErasureState.EXECUTED:
            return
        sealed = unseal(request)
        due.schedule(ERASURE, request.id, after=_LEASE_SECONDS)
    with connect() as backup:
        left = survey(backup, work.tenant_id, sealed.customer, sealed.talks)
    report = scan_for(_wanted(sealed, work.tenant_id))
    with work.scope():
        request = locked(work.ref_id)
        if request.state == ErasureState.EXECUTED:
            _conclude(request, report, left)


def _wanted(sealed: Sealed, tenant: UUID) -> Wanted:
    own = [word for word in sealed.own if word not in sealed.shared]
    ids = sealed.words or [str(sealed.customer)]
    return Wanted(ids=ids, own=own, shared=sealed.shared, tenant=tenant)


def _conclude(request: ErasureRequest, report: Report, left: dict[str, int]) -> None:
    request.scans += 1
    request.evidence |= {"scan": report.facts(), "left": left}
    request.save(update_fields=["scans", "evidence"])
    if report.clean and not left:
        move(request, ErasureState.VERIFIED_CLEAN, proven_at=timezone.now(), sealed=None)
        _certify(request)
    elif request.scans < SCANS and not report.blind:
        due.schedule(ERASURE, request.id, after=_PAUSE_SECONDS)
    else:
        failure = "scanner_blind" if report.blind else "left_behind"
        move(request, ErasureState.FAILED, failure=failure)
        due.cancel(ERASURE, request.id)


def _certify(request: ErasureRequest) -> None:
    certificate = issue("erasure", facts=_facts(request))
    move(
        request,
        ErasureState.CERTIFIED,
        certified_at=timezone.now(),
        certificate_id=certificate.id,
        subject_id=None,
        reason="",
        token_hash=None,
    )
    for kind in (ERASURE, ALARM, REMINDER):
        due.cancel(kind, request.id)


def _facts(request: ErasureRequest) -> dict[str, Any]:
    evidence = request.evidence
    return {
        "request": request.id,
        "subject": request.subject,
        "asked_at": request.created_at,
        "due_at": request.due_at,
        "started_at": request.hidden_at,
        "finished_at": request.proven_at,
        "counts": evidence.get("deleted", {}),
        "found": evidence.get("found", {}),
        "scanner": evidence["scan"]["version"],
        "scan": {
            name: {"read": store["read"], "hits": sum(store["hits"].values())}
            for name, store in evidence["scan"]["stores"].items()
        },
        "remains": remains(request),
    }


def remains(request: ErasureRequest) -> list[dict[str, Any]]:
    """What is kept, why, and until when; honest about what lies in others' hands."""
    backups = (request.executed_at or timezone.now()) + timedelta(days=BACKUP_DAYS)
    kept: list[dict[str, Any]] = [
        {"what": "Entries of the audit record", "why": "They know a pseudonym only", "until": None},
        {"what": "A pseudonym", "why": "To erase again after a restore", "until": None},
        {"what": "Numbers for the bill", "why": "They belong to nobody", "until": None},
        {"what": "Backups, freed disk pages", "why": "They run out", "until": backups},
    ]
    kept += [
        {"what": f"Copies at {one['name']}", "why": "For abuse monitoring", "until": one["until"]}
        for one in request.evidence.get("providers", [])
    ]
    return kept + [_unacknowledged(notice) for notice in _without_receipt(request)]


def _without_receipt(request: ErasureRequest) -> list[RedactionNotice]:
    notices = RedactionNotice.objects.filter(request=request).select_related("target")
    return list(notices.exclude(state=RedactionNotice.State.ACKNOWLEDGED).order_by("created_at"))


def _unacknowledged(notice: RedactionNotice) -> dict[str, Any]:
    given_up = notice.state == RedactionNotice.State.GIVEN_UP
    return {
        "what": f"What {notice.target.label} holds",
        "why": "It was told and sent no receipt" if given_up else "It was told; no receipt yet",
        "until": None if given_up else notice.created_at + timedelta(days=3),
    }
