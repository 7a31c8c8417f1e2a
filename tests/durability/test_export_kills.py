"""A real worker dies while it makes copies and deletes a tenant: the next one ends the work."""

import os
import signal
from uuid import uuid4

import pytest
from django.db.models.functions import Now

from conversations.models import Customer, ExportPart, ExportRequest, TenantEnd
from conversations.services import emptying, exports, tenant_end
from conversations.services.messages import start_conversation
from conversations.transcript import NewRow, append
from tenants.models import DueWork, Role, Tenant
from tests.durability.faults import children_of
from tests.privacy.export_kit import check_manifest, rows_of, zip_of
from tests.support.cast import Company, found
from tests.support.stack import Stack, running_stack, wait_for

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.durability,
    pytest.mark.timeout(180),
]

TALKS, LINES = 150, 10


def large(slug: str = "acme") -> Company:
    """So much that a worker needs seconds for it."""
    company = found(slug)
    company.hire("olga", Role.OWNER)
    with company.scope():
        for number in range(TALKS):
            customer = Customer.objects.create(name=f"Customer {number}")
            talk = start_conversation(customer, client_key=uuid4(), text="Hello").conversation
            rows = [NewRow(role="customer", text=f"Line {n}", customer_id=customer.id)
                    for n in range(LINES)]  # fmt: skip
            append(talk.id, rows, by="customer")
    DueWork.objects.all().delete()
    return company


def kill_bulk(stack: Stack) -> None:
    """The worker and whatever it has started, without a word; and a new one in its place."""
    for pid in children_of(stack.pid("bulk")):
        os.kill(pid, signal.SIGKILL)
    stack.restart("bulk")


def lapse(kind: str) -> None:
    """As if the time for which its maker is left alone were over."""
    DueWork.objects.filter(kind=kind).update(due_at=Now(), sent_at=None)


def test_a_copy_of_a_tenant_survives_its_worker():
    company = large()
    with running_stack("bulk", "sweep", "beat") as stack:
        with company.scope():
            export = exports.ask_for_tenant(by=exports.Asker.member(company.olga.member))
        for _ in range(2):
            before = _parts(company)
            wait_for(lambda before=before: _parts(company) > before, what="another step")
            kill_bulk(stack)
            lapse(exports.EXPORT)
        wait_for(lambda: _state(company, export) == "ready", what="the copy", seconds=90)
    with company.scope():
        export.refresh_from_db()
    archive = zip_of(export)
    check_manifest(archive)
    said = [row for name, rows in rows_of(archive).items() if "/conversations.Message/" in name
            for row in rows]  # fmt: skip
    assert len({row["id"] for row in said}) == len(said) == TALKS * (LINES + 1)


def test_the_deletion_of_a_tenant_survives_its_worker():
    company = large()
    with company.scope():
        Tenant.objects.update(end_wait_days=0)
        tenant = Tenant.objects.get(pk=company.tenant.pk)
        tenant_end.close(tenant, slug="acme", by=company.olga.member)
        tenant.refresh_from_db()
        end = tenant_end.order(tenant, slug="acme", by=company.olga.member)
    with running_stack("bulk", "sweep", "beat") as stack:
        for _ in range(1):
            before = _deleted(company, end)
            wait_for(lambda before=before: _deleted(company, end) > before, what="another batch")
            kill_bulk(stack)
            lapse(tenant_end.TENANT_END)
        wait_for(
            lambda: Tenant.objects.get(pk=company.tenant.pk).status == "ended",
            what="the end",
            seconds=90,
        )
    with company.scope():
        end.refresh_from_db()
        assert emptying.counts() == {}
        assert {name: end.deleted[name] for name in end.found} == end.found


def _parts(company: Company) -> int:
    with company.scope():
        return ExportPart.objects.count()


def _state(company: Company, export: ExportRequest) -> str:
    with company.scope():
        export.refresh_from_db()
        return export.state


def _deleted(company: Company, end: TenantEnd) -> int:
    with company.scope():
        end.refresh_from_db()
        return sum(end.deleted.values())
