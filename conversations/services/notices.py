"""Telling the tenant's other systems that a person is erased, and keeping their receipts.

Signed like every webhook: HMAC-SHA-256 over `id.timestamp.body`. At least once, with growing gaps
for three days; then it stands on the request as something to be done by hand.
"""

import hmac
import json
from datetime import timedelta
from hashlib import sha256
from typing import NamedTuple, cast
from urllib.parse import urlsplit
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from conversations.hooks import Receipt, post_outside
from conversations.models import (
    Customer,
    CustomerIdentity,
    ErasureRequest,
    RedactionNotice,
    RedactionTarget,
)
from tenants import crypto, due
from tenants.addresses import check_url
from tenants.due import Work
from tenants.models import Member
from tenants.scoping import current_tenant_id, new_id
from tenants.services import audit

NOTICE = due.kind("redaction_notice", queue="bulk")
LASTS = timedelta(days=3)
_FIRST_PAUSE, _LONGEST_PAUSE = 30.0, 6 * 3600.0
_SECRET, _MESSAGE = "redaction_target.secret", "redaction_notice.sealed"
_State = RedactionNotice.State


@transaction.atomic
def add_target(*, label: str, url: str, by: Member) -> tuple[RedactionTarget, str]:
    """A system that has copies; returns the secret of its signatures, which is shown once."""
    check_url(url)
    secret = crypto.new_token("rs", current_tenant_id()).rsplit("_", 1)[1]
    target = RedactionTarget.objects.create(
        label=label, url=url, secret=crypto.encrypt(secret, field=_SECRET)
    )
    audit.record("redaction_target.added", by=by, target=target)
    return target, secret


@transaction.atomic
def remove_target(target: RedactionTarget, *, by: Member) -> None:
    """It is told nothing any more; what it was told stays on the requests while it exists."""
    RedactionTarget.objects.filter(pk=target.pk).update(active=False)
    audit.record("redaction_target.removed", by=by, target=target)


def tell_others(request: ErasureRequest, customer: Customer) -> None:
    """Each system once for a request. The words are sealed until the receipt, then gone."""
    for target in RedactionTarget.objects.filter(active=True):
        notice_id = new_id()
        message = json.dumps(_message(notice_id, request, customer))
        _, made = RedactionNotice.objects.get_or_create(
            request=request,
            target=target,
            defaults={"id": notice_id, "sealed": crypto.encrypt(message, field=_MESSAGE)},
        )
        if made:
            due.schedule(NOTICE, notice_id)


def _message(notice_id: UUID, request: ErasureRequest, customer: Customer) -> dict[str, object]:
    identities = CustomerIdentity.objects.filter(customer=customer)
    return {
        "type": "customer.redact",
        "id": str(notice_id),
        "request": str(request.id),
        "due_at": request.due_at.isoformat(),
        "customer": {
            "id": str(customer.id),
            "email": customer.email,
            "identities": list(identities.values_list("subject", flat=True)),
        },
    }


class _Letter(NamedTuple):
    url: str
    secret: str
    body: bytes


def deliver(work: Work) -> None:
    """One try; no scope is held while the other side thinks."""
    with work.scope():
        letter = _letter(work)
    if letter is None:
        return
    receipt = post_outside(letter.url, signed(work.ref_id, letter.secret, letter.body), letter.body)
    with work.scope():
        _note(work, receipt)


def signed(notice_id: UUID, secret: str, body: bytes) -> dict[str, str]:
    """The headers by which the other side knows who writes, and that it is not an old letter."""
    at = str(int(timezone.now().timestamp()))
    what = f"{notice_id}.{at}.".encode() + body
    return {
        "Content-Type": "application/json",
        "Turnstone-Id": str(notice_id),
        "Turnstone-Timestamp": at,
        "Turnstone-Signature": hmac.new(secret.encode(), what, sha256).hexdigest(),
    }


def _letter(work: Work) -> _Letter | None:
    notice = (
        RedactionNotice.objects.filter(pk=work.ref_id, state=_State.PENDING)
        .select_related("target")
        .first()
    )
    if notice is None:
        due.cancel(NOTICE, work.ref_id)
        return None
    # While it is under way nobody else sends it.
    due.schedule(NOTICE, notice.id, after=_pause(notice.tries))
    body = crypto.decrypt(cast("bytes", notice.sealed), field=_MESSAGE).encode()
    return _Letter(notice.target.url, crypto.decrypt(notice.target.secret, field=_SECRET), body)


def _note(work: Work, receipt: Receipt) -> None:
    notice = RedactionNotice.objects.select_for_update().filter(pk=work.ref_id).first()
    if notice is None or notice.state != _State.PENDING:
        return
    notice.tries += 1
    notice.last_status = receipt.status
    if 200 <= receipt.status < 300:
        notice.state, notice.sealed = _State.ACKNOWLEDGED, None
        notice.receipt_digest = sha256(receipt.body).digest()
        notice.acknowledged_at = timezone.now()
    elif timezone.now() > notice.created_at + LASTS:
        notice.state, notice.sealed = _State.GIVEN_UP, None
    notice.save(
        update_fields=[
            "tries", "last_status", "state", "sealed", "receipt_digest", "acknowledged_at",
        ]
    )  # fmt: skip
    if notice.state != _State.PENDING:
        due.cancel(NOTICE, notice.id)
        audit.record(
            "redaction_notice.ended",
            by=audit.job("redaction_notice"),
            target=notice,
            detail={"state": notice.state, "host": urlsplit(notice.target.url).hostname or ""},
        )


def _pause(tries: int) -> float:
    return min(_FIRST_PAUSE * float(2**tries), _LONGEST_PAUSE)
