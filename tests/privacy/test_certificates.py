"""Certificates: signed over every byte, without personal data, and checked by anybody."""

import json
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import ProgrammingError, transaction
from django.utils import timezone

from conversations.models import Certificate, SigningKey
from conversations.privacy import certificate_file as files
from conversations.services.certificates import PersonalFact, issue
from tenants import signing
from tenants.models import AuditEntry, Role
from tests.support.console import Browser, text_of

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


@pytest.fixture
def certificate(cast):
    cast.acme.tenant.name = "Acme مكتب الدعم"
    cast.acme.tenant.save(update_fields=["name"])
    with cast.acme.scope():
        return issue("erasure", facts=FACTS | {"hashes": {"manifest": "ab" * 32}})


def verified(path, *options):
    out = StringIO()
    call_command("verify_certificate", str(path), *options, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("kind", ["json", "html", "pdf"])
def test_every_file_proves_itself_offline(cast, certificate, tmp_path, kind, client):
    keys = tmp_path / "keys.json"
    keys.write_bytes(client.get("/.well-known/turnstone-certificate-keys.json").content)
    petra = Browser(cast.acme, cast.acme.petra)
    answer = petra.client.get(f"/t/acme/privacy/certificates/{certificate.id}/file/{kind}/")
    path = tmp_path / f"certificate.{kind}"
    path.write_bytes(answer.content)

    told = verified(path, "--keys", str(keys))

    assert "attachment" in answer["Content-Disposition"]
    assert "TRUE: Erasure of a customer" in told
    assert "deleted: Messages (conversations_message): 12" in told
    assert "Acme مكتب الدعم" in told
    assert "remains: audit record (proof)" in told


def test_a_changed_file_is_false(certificate, tmp_path):
    path = tmp_path / "certificate.json"
    path.write_bytes(files.as_json(certificate).replace(b"12", b"11"))
    with pytest.raises(CommandError, match="signature does not fit"):
        verified(path)


def test_a_file_signed_by_somebody_else_is_false(certificate, tmp_path, settings):
    path, keys = tmp_path / "certificate.html", tmp_path / "keys.json"
    path.write_bytes(files.as_html(certificate))
    settings.ENCRYPTION_KEYS = ["B" * 43 + "="]
    keys.write_text(json.dumps({"keys": [{"public_key": signing.own_public_key()}]}))
    with pytest.raises(CommandError, match="none of that desk's"):
        verified(path, "--keys", str(keys))


def test_something_else_is_no_certificate(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text("Dear all")
    with pytest.raises(CommandError, match="carries no certificate"):
        verified(path)


def test_keys_stay_published_after_their_rotation(certificate, client, settings):
    settings.ENCRYPTION_KEYS = ["B" * 43 + "="]
    keys = client.get("/.well-known/turnstone-certificate-keys.json").json()["keys"]
    assert {signing.own_public_key(), certificate.public_key} == {k["public_key"] for k in keys}


def test_the_desk_shows_it_and_lists_it(cast, certificate):
    petra = Browser(cast.acme, cast.acme.petra)

    assert str(certificate.id) in text_of(petra.get("conversations:privacy-certificates"))
    shown = text_of(petra.get("conversations:certificate", certificate.id))
    for words in (
        "What was deleted",
        "openssl pkeyutl",
        "Messages",
        "conversations_message",
        "audit record",
        "proof",
        "Acme مكتب الدعم",
    ):
        assert words in shown
    with cast.acme.scope():
        assert AuditEntry.objects.filter(action="page.read", target_kind="certificate").exists()


def test_another_tenant_s_certificate_does_not_exist(cast, certificate):
    mallory = cast.globex.hire("mona", Role.PRIVACY_OFFICER)
    browser = Browser(cast.globex, mallory)
    assert browser.get("conversations:certificate", certificate.id).status_code == 404
    answer = mallory.client().get(f"/api/v1/privacy/certificates/{certificate.id}")
    assert answer.status_code == 404


def test_the_api_s_answer_is_a_file_too(cast, certificate, tmp_path):
    client = cast.acme.petra.client()
    answer = client.get(f"/api/v1/privacy/certificates/{certificate.id}")
    path = tmp_path / "answer.json"
    path.write_bytes(answer.content)
    assert "TRUE" in verified(path)
    assert answer.json()["facts"]["counts"] == FACTS["counts"]
