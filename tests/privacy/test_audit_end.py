"""The record outlives its tenant for a term, and then goes by the owner's hand only."""

import os
import subprocess
import sys
from datetime import timedelta

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from devstack import testdb
from devstack.pytest_services import DATABASE
from tenants.models import Actor, AuditEntry, AuditKey, AuditLink, Member, Tenant
from tenants.selectors.audit import platform_acts
from tenants.services import audit

pytestmark = pytest.mark.django_db(transaction=True)


def as_owner(*options):
    owner = testdb.on_database(os.environ["OWNER_DATABASE_URL"], DATABASE)
    env = {**os.environ, "OWNER_DATABASE_URL": owner, "TURNSTONE_DB_ROLE": "owner"}
    done = subprocess.run(
        [sys.executable, "manage.py", "forget_audit", *options],
        env=env, cwd=settings.BASE_DIR, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


def end(company, *, days_ago):
    with company.scope():
        audit.pseudonym(company.tenant.id)
        audit.record("tenant.deleted", by=Actor.SYSTEM)
        audit.forget_key()
        Member.objects.all().delete()
    Tenant.objects.filter(id=company.tenant.id).update(status=Tenant.Status.CLOSED)
    url = testdb.on_database(os.environ["SUPERUSER_DATABASE_URL"], DATABASE)
    with psycopg.connect(url) as superuser:
        superuser.execute("SET LOCAL session_replication_role = replica")
        superuser.execute(
            "UPDATE tenants_auditentry SET created_at = now() - %s WHERE tenant_id = %s",
            [timedelta(days=days_ago), company.tenant.id],
        )


def count(company):
    with company.scope():
        return AuditEntry.objects.count(), AuditLink.objects.count(), AuditKey.objects.count()


def test_the_runtime_role_is_refused(cast):
    with pytest.raises(CommandError, match="TURNSTONE_DB_ROLE=owner"):
        call_command("forget_audit")


def test_a_record_goes_when_its_term_is_over_and_no_other_does(cast):
    end(cast.acme, days_ago=3 * 365 + 1)
    kept = count(cast.globex)

    assert "acme: its record is due" in as_owner()
    assert count(cast.acme)[0] > 0
    assert "acme: its record is gone" in as_owner("--yes")
    assert count(cast.acme) == (0, 0, 0)
    assert count(cast.globex) == kept
    assert "No tenant ended" in as_owner("--yes")
    assert platform_acts()[0].action == "audit.forgotten"


def test_a_record_in_its_term_stays(cast):
    end(cast.acme, days_ago=3 * 365 - 1)
    assert "No tenant ended" in as_owner("--yes")
    assert count(cast.acme)[0] > 0
