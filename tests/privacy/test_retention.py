"""What a policy takes, what it leaves, and that it is hidden whether the purge runs or not."""

from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from agents.models import ModelCall, ToolCall, Turn
from agents.selectors.turns import turns_of
from conversations.models import (
    Conversation,
    ConversationLabel,
    Customer,
    Draft,
    Kind,
    Label,
    Message,
    Note,
    RetentionRun,
)
from conversations.selectors.retention import preview
from conversations.selectors.retention_law import rule_of
from conversations.services import details, holds, lifecycle, retention
from conversations.services.messages import add_note, post_customer_message
from conversations.services.retention_rounds import step
from tests.privacy.policies import aged, mark, policy, stored, visible, whole_round
from tests.privacy.rows import full_talk, rows_of
from tests.support.widget import Widget

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


@pytest.fixture
def petra(cast):
    return cast.acme.petra.member


@pytest.fixture
def in_auckland(cast):
    cast.acme.tenant.time_zone = "Pacific/Auckland"
    cast.acme.tenant.save()


@pytest.mark.usefixtures("in_auckland")
def test_the_boundary_of_case_s15(cast, petra):
    """Exactly the second of five, in the preview, in the job, and not again."""
    with cast.acme.scope():
        now = timezone.now()
        young = aged(cast.carol, 30 * DAY - HOUR, now=now, status="resolved")
        old = aged(cast.carol, 30 * DAY + HOUR, now=now, status="resolved")
        still_open = aged(cast.carol, 31 * DAY, now=now)
        back = aged(cast.carol, 31 * DAY, now=now, status="resolved")
        post_customer_message(back, customer=cast.carol, client_key=back.id, text="Again")
        Conversation.objects.filter(pk=back.pk).update(last_message_at=now - DAY)
        kept = aged(cast.carol, 31 * DAY, now=now, status="resolved")
        holds.place(kept, reason="Case 12", by=petra)
        rule = policy(petra, 30, status="resolved")
        found = preview(rule_of(rule), Kind.MESSAGES, member=petra)
        assert [talk.id for talk in found.samples] == [old.id]
        assert (found.counts["conversations"], found.held) == (1, 1)
        whole_round()
        assert stored() == visible() == {young.id, still_open.id, back.id, kept.id}
        run = RetentionRun.objects.get()
        assert (run.name, run.policy_id, run.days) == ("Tidy up", rule.id, 30)
        assert run.counts["conversations"] == 1
        assert run.finished_at
        left = {talk.id: rows_of(talk.id) for talk in (young, still_open, back, kept)}
        whole_round()
        assert RetentionRun.objects.count() == 1
        assert {pk: rows_of(pk) for pk in left} == left


def test_what_has_expired_is_hidden_from_everybody_though_nothing_purges(cast, petra):
    bob, visitor = cast.acme.bob.client(), Widget(cast.acme)
    visitor.start()
    talk, other = UUID(visitor.talk("Hello, it is me")), visitor.talk("Something else")
    with cast.acme.scope():
        age = timezone.now() - 2 * DAY
        Conversation.objects.filter(pk=talk).update(last_message_at=age)
        policy(petra, 1)
        mark()
        assert Message.objects.filter(conversation=talk).count() == 1
    listed = [row["id"] for row in bob.get("/api/v1/conversations").json()["results"]]
    assert listed == [other]
    found = bob.get("/api/v1/conversations?q=it+is+me").json()["results"]
    assert found == []
    for path in ("", "/messages", "/notes", "/events", "/turns"):
        assert bob.get(f"/api/v1/conversations/{talk}{path}").status_code == 404
    mine = [row["id"] for row in visitor.get("conversations").json()["results"]]
    assert mine == [other]
    assert visitor.get(f"conversations/{talk}/messages").status_code == 404
    assert visitor.say("Hello?", where=str(talk)).status_code == 404
    with cast.acme.scope():
        assert Message.objects.filter(conversation=talk).count() == 1


def test_a_line_gives_a_talk_a_new_life(cast, petra):
    with cast.acme.scope():
        talk = aged(cast.carol, 6 * DAY, now=timezone.now())
        policy(petra, 7)
        mark()
        assert Conversation.stored.get(pk=talk.pk).expires_at is not None
        post_customer_message(talk, customer=cast.carol, client_key=talk.id, text="Again")
        assert Conversation.stored.get(pk=talk.pk).expires_at is None
        whole_round()
        assert stored() == {talk.id}


def test_resolving_an_old_talk_does_not_take_it_at_once(cast, petra):
    with cast.acme.scope():
        talk = aged(cast.carol, 90 * DAY, now=timezone.now())
        policy(petra, 30, status="resolved")
        whole_round()
        lifecycle.resolve(talk, by=cast.acme.bob.member)
        whole_round()
        row = Conversation.objects.get(pk=talk.pk)
        assert row.resolved_at
        assert row.expires_at == row.resolved_at + 30 * DAY
        lifecycle.reopen(row, by=cast.acme.bob.member)
        assert Conversation.objects.get(pk=talk.pk).expires_at is None


def test_a_label_that_is_set_counts_at_once_and_only_for_its_talks(cast, petra):
    with cast.acme.scope():
        label = Label.objects.create(name="Trial")
        now = timezone.now()
        marked, plain = (aged(cast.carol, 9 * DAY, now=now) for _ in range(2))
        policy(petra, 7, label=label)
        details.set_labels(marked, names=["Trial"], by=cast.acme.bob.member)
        assert visible() == {plain.id}
        whole_round()
        assert stored() == {plain.id}
        assert not ConversationLabel.objects.exists()


def test_the_mark_may_be_old_but_the_purge_looks_again(cast, petra):
    """A mark from before a change takes nothing."""
    with cast.acme.scope():
        talk = aged(cast.carol, 9 * DAY, now=timezone.now())
        rule = policy(petra, 7)
        mark()
        assert visible() == set()
        retention.end(rule, by=petra)
        whole_round()
        assert visible() == {talk.id}
        assert not RetentionRun.objects.exists()


def test_other_kinds_go_row_by_row_and_the_talk_stays(cast, petra):
    with cast.acme.scope():
        talk = full_talk()
        old = timezone.now() - 9 * DAY
        for model in (Note, Draft, ToolCall, ModelCall):
            model.stored.update(created_at=old)
        young = add_note(talk, text="Fresh", by=cast.acme.bob.member)
        before = rows_of(talk.id)
        for kind in (Kind.NOTES, Kind.DRAFTS, Kind.MODEL_CALLS):
            policy(petra, 7, kind=kind)
        mark()
        assert [note.id for note in Note.objects.all()] == [young.id]
        assert not Draft.objects.exists()
        assert not any(trace.tool_calls or trace.model_calls for trace in turns_of(talk.id))
        assert rows_of(talk.id) == before
        whole_round()
        left = rows_of(talk.id)
        gone = {name for name in before if left[name] < before[name]}
        assert gone == {
            "conversations.Note", "conversations.Draft", "agents.ModelCall"
        }  # fmt: skip
        assert not ToolCall.stored.exists()
        assert Turn.objects.filter(conversation=talk).exists()
        assert ModelCall.objects.filter(input_tokens=7).count() == 1
        assert {run.rows for run in RetentionRun.objects.all()} >= {1}


def test_nothing_of_a_held_talk_ends_and_all_of_it_is_seen(cast, petra):
    with cast.acme.scope():
        talk = full_talk()
        Note.stored.update(created_at=timezone.now() - 9 * DAY)
        Conversation.stored.filter(pk=talk.pk).update(
            last_message_at=timezone.now() - 9 * DAY, created_at=timezone.now() - 9 * DAY
        )
        policy(petra, 7, kind=Kind.NOTES)
        policy(petra, 7)
        mark()
        assert (visible(), Note.objects.count()) == (set(), 0)
        before = rows_of(talk.id)
        holds.place(talk, reason="Case 12", by=petra)
        assert (visible(), Note.objects.count()) == ({talk.id}, 1)
        whole_round()
        assert rows_of(talk.id) == before


def test_a_large_talk_goes_in_batches_and_stays_hidden_when_the_policy_ends(cast, petra):
    with cast.acme.scope():
        talk = aged(cast.carol, 9 * DAY, now=timezone.now())
        Message.objects.bulk_create(
            Message(conversation=talk, seq=10 + n, role="customer", text="x") for n in range(6000)
        )
        rule = policy(petra, 7)
        mark()
        assert step()
        assert 0 < Message.objects.filter(conversation=talk).count() < 6001
        retention.end(rule, by=petra)
        mark()
        assert visible() == set()
        whole_round()
        assert stored() == set()
        assert sum(run.rows for run in RetentionRun.objects.all()) > 6001


def test_the_other_tenant_keeps_everything(cast, petra):
    with cast.globex.scope():
        twin = Customer.objects.create(name="Carol", email="carol@example.org")
        theirs = aged(twin, 90 * DAY, now=timezone.now(), status="resolved")
    with cast.acme.scope():
        aged(cast.carol, 90 * DAY, now=timezone.now(), status="resolved")
        policy(petra, 30)
        whole_round()
        assert stored() == set()
    with cast.globex.scope():
        assert visible() == {theirs.id}


def test_the_platform_allows_no_more_than_its_maximum(cast, petra, settings):
    settings.RETENTION_MAXIMUM_DAYS = {"messages": 60}
    with cast.acme.scope():
        now = timezone.now()
        young, old = (aged(cast.carol, days * DAY, now=now) for days in (59, 61))
        whole_round()
        assert stored() == {young.id}
        assert RetentionRun.objects.get().policy_id is None
        rule = policy(petra, 3650)
        assert rule_of(rule).days == 60
        assert old.id not in visible()
