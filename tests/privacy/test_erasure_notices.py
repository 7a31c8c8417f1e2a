"""The tenant's other systems are told, signed and sealed, until they acknowledge."""

import hmac
import json
from datetime import timedelta
from hashlib import sha256

import pytest
from django.utils import timezone

from conversations import hooks
from conversations.hooks import Receipt
from conversations.models import RedactionNotice, RedactionTarget
from conversations.privacy.scanner import scan
from conversations.services import notices
from tenants.addresses import AddressRefused
from tenants.due import Work
from tenants.models import DueWork
from tests.privacy.erasing import ask, carry_on

pytestmark = pytest.mark.django_db(transaction=True)
URL = "https://crm.example.com/redact"


class Crm:
    """Where the guarded way out leads in these tests: remembers letters, answers as told."""

    def __init__(self, *answers: Receipt) -> None:
        self.answers, self.letters = list(answers), []

    def __call__(self, url, headers, body):
        self.letters.append((url, dict(headers), body))
        return self.answers.pop(0) if self.answers else Receipt(200, b"done")


@pytest.fixture
def crm(monkeypatch):
    crm = Crm()
    monkeypatch.setattr(hooks, "_messengers", [crm])
    return crm


@pytest.fixture
def secret(cast):
    with cast.acme.scope():
        _, secret = notices.add_target(label="CRM", url=URL, by=cast.acme.petra.member)
    return secret


def deliver(company):
    with company.scope():
        notice = RedactionNotice.objects.get()
    notices.deliver(Work(company.tenant.id, notices.NOTICE, notice.id))
    with company.scope():
        return RedactionNotice.objects.get()


def test_the_message_is_signed_and_its_receipt_ends_it(cast, crm, secret):
    request = carry_on(cast.acme, ask(cast.acme, cast.carol))
    assert scan([str(cast.carol.email)]).hits == 0, "sealed until it is delivered"

    notice = deliver(cast.acme)

    ((url, headers, body),) = crm.letters
    signed = f"{headers['Turnstone-Id']}.{headers['Turnstone-Timestamp']}.".encode() + body
    assert url == URL
    assert headers["Turnstone-Signature"] == hmac.new(secret.encode(), signed, sha256).hexdigest()
    said = json.loads(body)
    assert (said["type"], said["request"]) == ("customer.redact", str(request.id))
    assert said["customer"]["email"] == "carol@example.org"
    assert (notice.state, notice.sealed) == ("acknowledged", None)
    assert bytes(notice.receipt_digest) == sha256(b"done").digest()
    with cast.acme.scope():
        assert not DueWork.objects.filter(kind="redaction_notice").exists()


def test_without_a_receipt_it_is_tried_again_and_in_the_end_given_up(cast, crm, secret):
    crm.answers = [Receipt(503), Receipt(0), Receipt(500)]
    carry_on(cast.acme, ask(cast.acme, cast.carol))

    pauses = []
    for _ in range(2):
        assert deliver(cast.acme).state == "pending"
        with cast.acme.scope():
            row = DueWork.objects.get(kind="redaction_notice")
        pauses.append((row.due_at - timezone.now()).total_seconds())
    with cast.acme.scope():
        RedactionNotice.objects.update(created_at=timezone.now() - timedelta(days=4))
    last = deliver(cast.acme)

    assert 20 < pauses[0] < pauses[1]
    assert (last.state, last.sealed, last.tries) == ("given_up", None, 3)


def test_a_certificate_says_who_has_not_acknowledged(cast, crm, secret):
    request = carry_on(cast.acme, ask(cast.acme, cast.carol))

    shown = cast.acme.petra.client().get(f"/api/v1/privacy/certificates/{request.certificate_id}")

    assert "What CRM holds" in shown.content.decode()


@pytest.mark.parametrize("url", ["http://crm.example.com/", "https://127.0.0.1/", "https://x@y.z/"])
def test_only_public_addresses_can_be_told(cast, url):
    with cast.acme.scope(), pytest.raises(AddressRefused):
        notices.add_target(label="CRM", url=url, by=cast.acme.petra.member)
    with cast.acme.scope():
        assert not RedactionTarget.objects.exists()


def test_the_way_out_is_the_guarded_one():
    """A name that leads inside is refused before a connection, and that is no receipt."""
    assert hooks.post_outside("https://localhost/redact", {}, b"{}") == Receipt(0)
