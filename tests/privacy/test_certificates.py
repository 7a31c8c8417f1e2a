"""Certificates: signed over every byte, without personal data, and checked by anybody."""

import json
from uuid import uuid4

import pytest
from django.db import ProgrammingError, transaction
from django.utils import timezone

from conversations.models import Certificate, SigningKey
from conversations.services.certificates import PersonalFact, issue
from tenants import signing
from tenants.models import AuditEntry

FACTS = {
    "counts": {"messages": 12, "notes": 1},
    "scanner": "1",
    "finished_at": timezone.now(),
    "request": uuid4(),
    "remains": [{"what": "audit record", "why": "proof", "until": None}],
}


def test_it_is_signed_over_every_byte(cast):
    with cast.acme.scope():
        certificate = issue("erasure", facts=FACTS)

    signature = signing.Signature(certificate.public_key, certificate.signature)
    assert signing.holds(certificate.body.encode(), signature)
    assert not signing.holds(certificate.body.replace("12", "13").encode(), signature)
    assert SigningKey.objects.get().public_key == certificate.public_key
    document = json.loads(certificate.body)
    assert document["facts"]["counts"] == FACTS["counts"]
    assert document["id"] == str(certificate.id)


def test_another_key_s_signature_does_not_hold(cast, settings):
    with cast.acme.scope():
        mine = issue("erasure", facts=FACTS)
        settings.ENCRYPTION_KEYS = ["B" * 43 + "=", *settings.ENCRYPTION_KEYS]
        theirs = issue("erasure", facts=FACTS)

    assert mine.public_key != theirs.public_key
    mixed = signing.Signature(mine.public_key, theirs.signature)
    assert not signing.holds(theirs.body.encode(), mixed)


@pytest.mark.parametrize("fact", ["carol@example.org", "word " * 100, ["deep", {"x": "a@b.c"}]])
def test_nothing_that_looks_personal_is_signed(cast, fact):
    with cast.acme.scope(), pytest.raises(PersonalFact):
        issue("erasure", facts={"note": fact})


def test_it_stays_as_it_was_signed(cast):
    with cast.acme.scope():
        issue("retention", facts={})
        with pytest.raises(ProgrammingError), transaction.atomic():
            Certificate.objects.update(body="{}")
        assert AuditEntry.objects.filter(action="certificate.issued").count() == 1
