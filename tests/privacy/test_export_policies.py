"""Policies that come with an import: new here, whatever they were at home."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from conversations.models import Conversation, RetentionPolicy
from conversations.services import exports, retention
from conversations.services.retention import PolicySettings, SamePerson
from conversations.tasks import start_policy
from tenants.due import Work
from tenants.models import AuditEntry, DueWork, Member
from tests.privacy.export_kit import make, zip_of
from tests.privacy.policies import aged, policy, whole_round
from tests.support.cast import found

DAY = timedelta(days=1)


@pytest.fixture
def elsewhere(cast, tmp_path):
    """Imports Acme as it is into an empty workspace."""

    def bring():
        with cast.acme.scope():
            export = exports.ask_for_tenant(by=exports.Asker.member(cast.acme.olga.member))
        path = tmp_path / "export.zip"
        path.write_bytes(zip_of(make(export)).fp.getvalue())  # type: ignore[union-attr]
        company = found("elsewhere")
        call_command("import_tenant", path, tenant="elsewhere", verbosity=0)
        return company

    return bring


def test_what_was_in_force_waits_here_like_a_new_one_and_then_takes_effect(cast, elsewhere):
    olga = cast.acme.olga.member
    with cast.acme.scope():
        aged(cast.carol, 20 * DAY, now=timezone.now(), title="Soon")
        aged(cast.carol, 2 * DAY, now=timezone.now(), title="Young")
        policy(olga, 30, name="In force")
        retention.end(policy(olga, 60, name="Past"), by=olga)
        retention.make_policy(PolicySettings("To come", 90), by=olga)
        whole_round()
    there = elsewhere()
    with there.scope():
        # The file has become old.
        Conversation.objects.filter(title="Soon").update(
            last_message_at=timezone.now() - 40 * DAY, created_at=timezone.now() - 40 * DAY
        )
        assert not Conversation.stored.filter(expires_at__isnull=False).exists()
        states = dict(RetentionPolicy.objects.values_list("name", "state"))
        assert states == {"In force": "waiting", "Past": "ended", "To come": "waiting"}
        row = RetentionPolicy.objects.get(name="In force")
        assert row.starts_at > timezone.now() + 23 * timedelta(hours=1)
        assert DueWork.objects.get(kind=retention.START, ref_id=row.id).due_at == row.starts_at
        adopted = AuditEntry.objects.filter(action="retention_policy_adopted")
        assert adopted.count() == 2
        whole_round()
        assert Conversation.objects.count() == 2
        RetentionPolicy.objects.update(starts_at=timezone.now())
    start_policy(Work(there.tenant.id, retention.START, row.id))
    with there.scope():
        whole_round()
        assert [talk.title for talk in Conversation.stored.all()] == ["Young"]
    with cast.acme.scope():
        assert Conversation.objects.count() == 2


def test_a_large_one_wants_a_second_person_here(cast, elsewhere):
    with cast.acme.scope():
        policy(cast.acme.olga.member, 30, name="In force")
        then = timezone.now() - 40 * DAY
        Conversation.objects.bulk_create(
            Conversation(customer=cast.carol, last_seq=1) for _ in range(101)
        )
        Conversation.objects.update(last_message_at=then, created_at=then)
    there = elsewhere()
    with there.scope():
        row = RetentionPolicy.objects.get(name="In force")
        assert (row.pieces, row.needs_second, row.approved_at) == (101, True, None)
        RetentionPolicy.objects.update(starts_at=timezone.now())
        retention.start(row.id)
        whole_round()
        assert Conversation.objects.count() == 101
        made, other = (
            Member.objects.get(user__email__startswith=name) for name in ("olga", "petra")
        )
        with pytest.raises(SamePerson):
            retention.second(row, by=made)
        retention.second(row, by=other)
        retention.start(row.id)
        whole_round()
        assert not Conversation.stored.exists()
