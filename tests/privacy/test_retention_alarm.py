"""A run that would take too much of a tenant at once waits for a second person."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from conversations.models import Conversation, Customer, Kind, Note, RetentionRun, Status
from conversations.selectors.retention import preview
from conversations.selectors.retention_law import rule_of
from conversations.services import retention
from conversations.services.messages import add_note
from conversations.services.retention import PolicySettings, SamePerson
from conversations.services.retention_confirming import RunNotWaiting, confirm_run
from tenants.models import AuditEntry
from tests.privacy.policies import policy, stored, visible, whole_round
from tests.support.console import text_of

DAY = timedelta(days=1)


@pytest.fixture
def petra(cast):
    return cast.acme.petra.member


@pytest.fixture
def olga(cast):
    return cast.acme.olga.member


def talks(customer: Customer, count: int, *, days: int, **fields) -> None:
    """So many plain talks that were resolved so many days ago."""
    then = timezone.now() - days * DAY
    rows = [Conversation(customer=customer, last_seq=1, **fields) for _ in range(count)]
    Conversation.objects.bulk_create(rows)
    ids = [row.pk for row in rows]
    Conversation.stored.filter(pk__in=ids).update(last_message_at=then, created_at=then)


def test_what_a_script_resolved_by_mistake_is_hidden_and_waits(cast, petra, olga):
    with cast.acme.scope():
        talks(cast.carol, 150, days=40)
        rule = policy(petra, 30, status=Status.RESOLVED)
        whole_round()
        assert len(stored()) == 150
        Conversation.objects.update(status=Status.RESOLVED)
        whole_round()
        assert (len(stored()), visible()) == (150, set())
        run = RetentionRun.objects.get()
        assert (run.policy_id, run.due, run.rows, run.finished_at) == (rule.id, 150, 0, None)
        whole_round()
        assert len(stored()) == 150
        assert AuditEntry.objects.get(action="retention_run_held_back").detail == {"due": 150}
        with pytest.raises(SamePerson):
            confirm_run(run, by=petra)
        confirm_run(run, by=olga)
        with pytest.raises(RunNotWaiting):
            confirm_run(run, by=olga)
        whole_round()
        assert stored() == set()
        run.refresh_from_db()
        assert (run.counts["conversations"], run.confirmed_by) == (150, olga)
        assert run.finished_at
        assert AuditEntry.objects.get(action="retention_run_confirmed").detail == {"due": 150}


def test_what_was_confirmed_goes_on_by_itself_until_it_is_more_than_twice_as_much(
    cast, petra, olga
):
    with cast.acme.scope():
        policy(petra, 30)
        for count, waits in ((120, True), (240, False), (241, True)):
            talks(cast.carol, count, days=40)
            whole_round()
            waiting = RetentionRun.objects.filter(held_back_at__isnull=False)
            assert waiting.exists() is waits
            if waits:
                confirm_run(waiting.get(), by=olga)
            whole_round()
            assert stored() == set()


def test_few_or_one_percent_go_without_anybody(cast, petra):
    with cast.acme.scope():
        policy(petra, 30)
        talks(cast.carol, 100, days=40)
        whole_round()
        assert stored() == set()
        talks(cast.carol, 9_999, days=1)
        talks(cast.carol, 101, days=40)
        whole_round()
        assert len(stored()) == 9_999
        talks(cast.carol, 102, days=40)
        whole_round()
        assert len(stored()) == 9_999 + 102


def test_one_run_waits_and_the_others_go_on(cast, petra):
    with cast.acme.scope():
        policy(petra, 30)
        policy(petra, 7, kind=Kind.NOTES)
        talks(cast.carol, 101, days=40)
        talks(cast.carol, 1, days=1, title="Young")
        young = Conversation.objects.get(title="Young")
        for words in ("old", "new"):
            add_note(young, text=words, by=cast.acme.bob.member)
        Note.stored.filter(text="old").update(created_at=timezone.now() - 8 * DAY)
        whole_round()
        assert len(stored()) == 102
        assert [note.text for note in Note.stored.all()] == ["new"]


def test_rows_and_people_wait_too(cast, petra):
    with cast.acme.scope():
        policy(petra, 7, kind=Kind.NOTES)
        policy(petra, 7, kind=Kind.CUSTOMERS)
        talks(cast.carol, 1, days=1)
        talk = Conversation.objects.get()
        Note.objects.bulk_create(
            Note(conversation=talk, seq=10 + n, text="x", author_name="Bob") for n in range(101)
        )
        Note.stored.update(created_at=timezone.now() - 8 * DAY)
        Customer.objects.bulk_create(Customer(name=f"Visitor {n}") for n in range(101))
        Customer.stored.update(created_at=timezone.now() - 8 * DAY)
        whole_round()
        assert Note.stored.count() == 101
        assert Customer.stored.count() == 102
        assert sorted(RetentionRun.objects.values_list("due", flat=True)) == [101, 101]


def test_the_platforms_maximum_waits_too(cast, petra, settings):
    settings.RETENTION_MAXIMUM_DAYS = {"messages": 30}
    with cast.acme.scope():
        talks(cast.carol, 101, days=40)
        whole_round()
        assert len(stored()) == 101
        confirm_run(RetentionRun.objects.get(), by=petra)
        whole_round()
        assert stored() == set()


def test_ending_the_policy_brings_everything_back_and_closes_the_report(cast, petra):
    with cast.acme.scope():
        rule = policy(petra, 30)
        talks(cast.carol, 101, days=40)
        whole_round()
        assert visible() == set()
        retention.end(rule, by=petra)
        whole_round()
        assert len(visible()) == 101
        run = RetentionRun.objects.get()
        assert (run.rows, run.held_back_at) == (0, None)
        assert run.finished_at


def test_a_policy_that_takes_a_large_part_wants_a_second_person_who_then_has_seen_its_first_run(
    cast, petra, olga
):
    with cast.acme.scope():
        talks(cast.carol, 101, days=40)
        found = preview(rule_of(policy(petra, 30, label=None)), Kind.MESSAGES, member=petra)
        assert (found.large, found.pieces) == (True, 101)
        made = retention.make_policy(PolicySettings("Tidy up", 29), by=petra)
        assert (made.needs_second, made.pieces) == (True, 101)
        retention.second(made, by=olga)
        type(made).objects.filter(pk=made.pk).update(starts_at=timezone.now())
        retention.start(made.id)
        whole_round()
        assert stored() == set()
        assert not RetentionRun.objects.filter(held_back_at__isnull=False).exists()


def test_the_desk_says_so_first_and_another_officer_confirms(cast, browser_of):
    with cast.acme.scope():
        made = retention.make_policy(PolicySettings("Far ahead", 3000), by=cast.acme.olga.member)
        policy(cast.acme.petra.member, 30, name="Old ones")
        talks(cast.carol, 101, days=40)
        whole_round()
        run = RetentionRun.objects.get()
    petra, olga = browser_of("petra"), browser_of("olga")
    shown = olga.get("conversations:privacy")
    assert "Large run of retention: Old ones, 101 items" in text_of(shown)
    assert text_of(shown).index("Old ones") < text_of(shown).index(made.name)
    assert f"retention/runs/{run.id}/confirm/" in shown.content.decode()
    page, own = (who.get("conversations:confirm-run", run.id) for who in (olga, petra))
    assert "Conversations: 101" in text_of(page)
    assert "Confirm and delete" in text_of(page)
    assert "Confirm and delete" not in text_of(own)
    assert "made this policy yourself" in text_of(own)
    refused = petra.post("conversations:confirm-run", run.id)
    assert refused.status_code == 302
    with cast.acme.scope():
        assert RetentionRun.objects.get().held_back_at is not None
    olga.post("conversations:confirm-run", run.id)
    with cast.acme.scope():
        whole_round()
        assert stored() == set()
    assert "Conversations: 101" in text_of(olga.get("conversations:privacy-retention"))
    assert "does not wait" in text_of(olga.get("conversations:confirm-run", run.id))
    assert olga.post("conversations:confirm-run", uuid4()).status_code == 404


def test_by_api_too_and_for_the_privacy_desk_of_the_own_tenant_only(cast):
    with cast.acme.scope():
        policy(cast.acme.petra.member, 30)
        talks(cast.carol, 101, days=40)
        whole_round()
    petra, olga = cast.acme.petra.client(), cast.acme.olga.client()
    (row,) = olga.get("/api/v1/privacy/runs").json()["results"]
    assert (row["due"], row["rows"], row["finished_at"]) == (101, 0, None)
    assert row["held_back_at"]
    address = f"/api/v1/privacy/runs/{row['id']}/confirm"

    def confirm(client):
        return client.post(address, {}, content_type="application/json")

    assert (confirm(petra).status_code, confirm(petra).json()["code"]) == (
        409, "second_person_required"
    )  # fmt: skip
    assert confirm(cast.acme.bob.client()).status_code == 403
    cast.globex.hire("gina", "owner")
    assert confirm(cast.globex.gina.client()).status_code == 404
    assert confirm(olga).json()["held_back_at"] is None
    assert confirm(olga).json()["code"] == "run_not_waiting"
    with cast.acme.scope():
        whole_round()
        assert stored() == set()
