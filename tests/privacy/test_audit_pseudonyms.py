"""The record knows customers by pseudonym: steady, apart for each tenant, and gone with the key."""

import pytest
from django.db import ProgrammingError, transaction

from tenants.models import AuditEntry, AuditKey
from tenants.services import audit
from tests.support.console import start


def test_a_customer_is_never_recorded_by_its_id(cast):
    with cast.acme.scope():
        entry = audit.record("test", by=audit.customer(cast.carol.id), target=cast.carol)

    assert entry.target_id == entry.actor_id != cast.carol.id
    with cast.acme.scope():
        assert audit.pseudonym(cast.carol.id) == entry.target_id


def test_a_conversation_is_one_too_and_a_member_is_not(cast):
    with cast.acme.scope():
        talk = start(cast.carol)
        entry = audit.record("test", by=cast.acme.bob.member, target=talk)

    assert entry.target_id != talk.id
    assert entry.actor_id == cast.acme.bob.member.id


def test_another_tenant_has_other_pseudonyms(cast):
    with cast.acme.scope():
        here = audit.pseudonym(cast.carol.id)
    with cast.globex.scope():
        assert audit.pseudonym(cast.carol.id) != here


def test_without_its_key_a_pseudonym_leads_to_nobody(cast):
    with cast.acme.scope():
        before = audit.pseudonym(cast.carol.id)
        audit.forget_key()
        assert audit.pseudonym(cast.carol.id) != before


def test_the_key_is_sealed_and_cannot_be_changed(cast):
    with cast.acme.scope():
        audit.pseudonym(cast.carol.id)
        assert len(AuditKey.objects.get().secret) > 44
        with pytest.raises(ProgrammingError), transaction.atomic():
            AuditKey.objects.update(secret=b"mine")


def test_a_rule_and_a_job_are_named(cast):
    with cast.acme.scope():
        audit.record("test", by=audit.job("retention"))
        entry = AuditEntry.objects.get(action="test")
    assert (entry.actor_kind, entry.actor_id, entry.actor_code) == ("job", None, "retention")
