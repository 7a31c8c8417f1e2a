"""The end of a tenant: two steps, a waiting period, nothing left but the record and the proof."""

from datetime import timedelta

import pytest
from django.core.management import call_command

from conversations.models import Certificate, Conversation, Customer, TenantEnd
from conversations.services import emptying, holds, tenant_end
from conversations.tasks import end_tenant
from tenants.due import Work
from tenants.models import AuditEntry, AuditKey, DueWork, Member, Role, Tenant, User
from tenants.selectors.audit import platform_acts
from tests.support.console import Browser, start
from tests.support.rows import Rows, scoped_models
from tests.support.widget import Widget

PASSWORD = "correct horse battery"


@pytest.fixture
def full(cast):
    """Acme with a row in every table."""
    with cast.acme.scope():
        rows = Rows()
        for model in scoped_models():
            if model not in emptying.STAYS and model._meta.label != "conversations.LegalHold":
                rows.one(model)
        start(cast.carol, "canary-of-acme")
        TenantEnd.objects.all().delete()
    with cast.globex.scope():
        start(Customer.objects.create(name="Twin"), "canary-of-globex")
    return cast.acme


def ordered(company) -> TenantEnd:
    with company.scope():
        tenant = Tenant.objects.get(pk=company.tenant.pk)
        olga = company.olga.member
        tenant_end.close(tenant, slug="acme", by=olga)
        return tenant_end.order(tenant, slug="acme", by=olga)


def run(company, end: TenantEnd) -> None:
    end_tenant(Work(company.tenant.id, tenant_end.TENANT_END, end.id))


def left(company) -> dict[str, int]:
    with company.scope():
        return emptying.counts()


def test_nothing_is_left_but_the_record_and_the_proof(full, cast):
    globex = left(cast.globex)
    end = ordered(full)
    run(full, end)

    assert left(full) == {}
    assert left(cast.globex) == globex
    with full.scope():
        end.refresh_from_db()
        certificate = Certificate.objects.get(kind="tenant_end")
        assert (end.state, end.percent, end.certificate) == ("done", 100, certificate.id)
        assert end.found == {name: n for name, n in end.deleted.items() if name in end.found}
        assert "canary" not in certificate.body
        assert not AuditKey.objects.exists()
        assert AuditEntry.objects.filter(action="tenant.end_begun").exists()
    assert not DueWork.objects.filter(tenant_id=full.tenant.id).exists()
    tenant = Tenant.objects.get(slug="acme")
    assert (tenant.status, tenant.name) == ("ended", "")
    assert not User.objects.filter(email__endswith="@acme.example.com").exists()
    assert User.objects.filter(email="mallory@globex.example.com").exists()
    assert "tenant.ended" in [act.action for act in platform_acts()]
    call_command("tenant_certificate", tenant="acme")


def test_who_is_in_another_team_keeps_the_account(full, cast):
    with cast.globex.scope():
        Member.objects.create(user=cast.acme.bob.user, role=Role.VIEWER, active=False)
    run(full, ordered(full))
    assert User.objects.filter(pk=cast.acme.bob.user.pk).exists()


def test_killed_after_any_batch_it_ends_the_same(full, monkeypatch):
    monkeypatch.setattr(emptying, "BATCH", 2)
    end = ordered(full)
    whole, steps = tenant_end.step, 0

    def mortal(end_id):
        nonlocal steps
        steps += 1
        if steps % 5 == 0:
            raise SystemExit
        return whole(end_id)

    monkeypatch.setattr(tenant_end, "step", mortal)
    for _ in range(200):
        try:
            run(full, end)
            break
        except SystemExit:
            continue
    assert steps > 20
    assert left(full) == {}
    run(full, end)
    with full.scope():
        end.refresh_from_db()
        assert {n: end.deleted[n] for n in end.found} == end.found
        assert Certificate.objects.filter(kind="tenant_end").count() == 1


def test_a_hold_beats_it_before_and_after_the_order(full):
    end = ordered(full)
    with full.scope():
        holds.place(Customer.objects.first(), reason="a lawsuit", by=full.petra.member)  # type: ignore[arg-type]
    before = left(full)
    run(full, end)
    assert left(full) == before
    with full.scope():
        end.refresh_from_db()
        assert end.state == "waiting"
        work = DueWork.objects.get(kind=tenant_end.TENANT_END)
        assert work.due_at > end.created_at + timedelta(hours=20)
        tenant_end.take_back(end, by=full.olga.member)
        with pytest.raises(tenant_end.StillHeld):
            tenant_end.order(full.tenant, slug="acme", by=full.olga.member)


def test_it_waits_and_can_be_taken_back(full):
    end = ordered(full)
    with full.scope():
        work = DueWork.objects.get(kind=tenant_end.TENANT_END)
        assert work.due_at - end.created_at > timedelta(days=6, hours=23)
        assert tenant_end.order(full.tenant, slug="acme", by=full.olga.member) == end
        tenant_end.take_back(end, by=full.olga.member)
        assert not DueWork.objects.filter(kind=tenant_end.TENANT_END).exists()
    before = left(full)
    run(full, end)
    assert left(full) == before
    with full.scope():
        tenant_end.reopen(full.tenant, by=full.olga.member)
    assert Tenant.objects.get(slug="acme").status == "active"


def test_one_step_after_the_other_and_the_right_workspace(cast):
    with cast.acme.scope():
        olga = cast.acme.olga.member
        with pytest.raises(tenant_end.NotClosed):
            tenant_end.order(cast.acme.tenant, slug="acme", by=olga)
        with pytest.raises(tenant_end.WrongSlug):
            tenant_end.close(cast.acme.tenant, slug="globex", by=olga)


class TestClosed:
    """Doors of a closed workspace."""

    @pytest.fixture
    def closed(self, cast):
        with cast.acme.scope():
            start(cast.carol)
            tenant_end.close(cast.acme.tenant, slug="acme", by=cast.acme.olga.member)
        return cast.acme

    def test_customers_are_told_so_politely(self, cast):
        widget, late = Widget(cast.acme), Widget(cast.acme)
        widget.start()
        with cast.acme.scope():
            tenant_end.close(cast.acme.tenant, slug="acme", by=cast.acme.olga.member)
        for answer in (widget.say(), late.start()):
            assert (answer.status_code, answer.json()["code"]) == (403, "tenant_suspended")
            assert answer.json()["detail"].startswith("This chat is closed")

    def test_the_agent_claims_nothing(self, closed):
        from agents.models import Turn  # noqa: PLC0415
        from agents.services.turns import claim  # noqa: PLC0415

        with closed.scope():
            turn = Turn.objects.first()
            assert turn is None or claim(turn.id, owner="test") is None

    def test_owners_and_privacy_officers_read_and_nobody_else(self, cast, closed):
        with closed.scope():
            talk = Conversation.objects.get()
        for name, status in [("olga", 200), ("petra", 200), ("alice", 403), ("bob", 403)]:
            browser = Browser(closed, closed.people[name])
            assert browser.get("conversations:thread", talk.id).status_code == status, name
        olga = Browser(closed, closed.olga)
        assert olga.post("conversations:resolve", talk.id).status_code == 403
        assert olga.post("conversations:ask-tenant-export").status_code == 302
        assert closed.olga.client().get("/api/v1/conversations").status_code == 401

    def test_the_pages_lead_through_it(self, closed):
        olga = Browser(closed, closed.olga)
        page = olga.get("conversations:end").content.decode()
        assert "Delete this workspace" in page
        typed = {"slug": "acme", "password": "wrong"}
        assert olga.post("conversations:order-end", **typed).status_code == 422
        typed["password"] = PASSWORD
        assert olga.post("conversations:order-end", **typed).status_code == 302
        page = olga.get("conversations:end").content.decode()
        assert "Take the order back" in page
        assert olga.post("conversations:take-back-end").status_code == 302
        assert olga.post("conversations:reopen-tenant").status_code == 302
        assert Tenant.objects.get(slug="acme").status == "active"
        assert Browser(closed, closed.alice).get("conversations:end").status_code == 403
