"""The buttons and fields: what each does to the row, and what a refusal says."""

import json
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from conversations.console.forms import snooze_end
from conversations.models import Conversation, ConversationLabel, Event, FunnelStage, Label
from conversations.services import control
from tenants.models import AgentMode
from tests.support.console import text_of


@pytest.fixture
def now_of(cast):
    def now(talk: Conversation) -> Conversation:
        with cast.acme.scope():
            return Conversation.objects.select_related("stage", "assignee").get(pk=talk.pk)

    return now


def test_taking_over_shows_the_talk_with_a_composer_for_replies(browser_of, cast, talk, now_of):
    answer = browser_of("bob").post("conversations:take-over", talk.id, target="conversation")

    assert (now_of(talk).handler, now_of(talk).assignee) == ("team", cast.acme.bob.member)
    assert "You are answering" in text_of(answer)
    assert 'data-mode="reply"' in text_of(answer)


def test_handing_back_gives_it_to_the_agent(browser_of, cast, talk, now_of):
    with cast.acme.scope():
        control.take_over(talk, by=cast.acme.bob.member)
    answer = browser_of("bob").post("conversations:hand-back", talk.id, target="conversation")
    assert now_of(talk).handler == "agent"
    assert "(AI agent) is answering" in text_of(answer)


def test_a_refused_hand_back_says_why_and_shows_the_talk_as_it_is(browser_of, cast, talk, now_of):
    with cast.acme.scope():
        control.take_over(talk, by=cast.acme.bob.member)
    cast.acme.tenant.agent_mode = AgentMode.OFF
    cast.acme.tenant.save(update_fields=["agent_mode"])

    bob = browser_of("bob")
    answer = bob.post("conversations:hand-back", talk.id, target="conversation")

    assert answer.status_code == 200
    assert "switched off" in json.loads(answer["HX-Trigger"])["toast"]["text"]
    assert now_of(talk).handler == "team"
    assert "Hand back to" not in text_of(answer)

    plain = bob.post("conversations:hand-back", talk.id)
    assert "switched off" in text_of(bob.client.get(plain["Location"]))


def test_resolving_and_reopening(browser_of, talk, now_of):
    bob = browser_of("bob")
    assert 'id="reopen"' in text_of(
        bob.post("conversations:resolve", talk.id, target="conversation")
    )
    assert now_of(talk).status == "resolved"
    bob.post("conversations:reopen", talk.id)
    assert now_of(talk).status == "open"


def test_snoozing_for_an_hour(browser_of, talk, now_of):
    browser_of("bob").post("conversations:snooze", talk.id, choice="hour")
    left = now_of(talk).snoozed_until - timezone.now()
    assert timedelta(minutes=58) < left <= timedelta(hours=1)


def test_tomorrow_and_a_typed_time_are_meant_in_the_tenants_zone(browser_of, cast, talk, now_of):
    cast.acme.tenant.time_zone = "Asia/Tokyo"
    cast.acme.tenant.save(update_fields=["time_zone"])
    bob, tokyo = browser_of("bob"), ZoneInfo("Asia/Tokyo")

    bob.post("conversations:snooze", talk.id, choice="tomorrow")
    until = now_of(talk).snoozed_until.astimezone(tokyo)
    today = timezone.now().astimezone(tokyo).date()
    assert (until.date(), until.hour) == (today + timedelta(days=1), 9)

    at = datetime.combine(today + timedelta(days=3), datetime.min.time()).replace(hour=14)
    bob.post("conversations:snooze", talk.id, choice="custom", at=at.isoformat(timespec="minutes"))
    assert now_of(talk).snoozed_until == at.replace(tzinfo=tokyo)


def test_next_week_is_monday_morning():
    end = snooze_end("week")
    assert (end.weekday(), end.hour) == (0, 9)
    assert timedelta() < end - timezone.now() <= timedelta(days=7, hours=9)


@pytest.mark.parametrize("at", ["", "yesterday", "2001-01-01T09:00"])
def test_a_time_that_cannot_be_is_refused_with_words(browser_of, talk, now_of, at):
    answer = browser_of("bob").post(
        "conversations:snooze", talk.id, target="conversation", choice="custom", at=at
    )
    assert json.loads(answer["HX-Trigger"])["toast"]["level"] == "error"
    assert now_of(talk).status == "open"


def test_a_members_title_is_written_and_told_in_the_timeline(browser_of, cast, talk, now_of):
    answer = browser_of("bob").post(
        "conversations:title", talk.id, target="details", title="Order 1001"
    )
    assert (now_of(talk).title, now_of(talk).title_by) == ("Order 1001", "member")
    assert json.loads(answer["HX-Trigger"])["talk-changed"] == {"handler": "agent"}
    with cast.acme.scope():
        assert Event.objects.filter(kind="title_changed").count() == 1


def test_a_stage_and_labels(browser_of, cast, talk, now_of):
    with cast.acme.scope():
        stage = FunnelStage.objects.create(name="Order", position=1)
        for name in ("damage", "delivery"):
            Label.objects.create(name=name)
    bob = browser_of("bob")

    bob.post("conversations:stage", talk.id, stage=stage.id)
    bob.post("conversations:labels", talk.id, labels=["damage", "delivery"])
    bob.post("conversations:labels", talk.id, labels=["damage"])

    assert now_of(talk).stage == stage
    with cast.acme.scope():
        assert list(ConversationLabel.objects.values_list("label__name", flat=True)) == ["damage"]
    assert "checked" in text_of(bob.get("conversations:details", talk.id))


def test_assigning_to_a_teammate_who_may_answer(browser_of, cast, talk, now_of):
    bob = browser_of("bob")
    bob.post("conversations:assign", talk.id, assignee=cast.acme.alice.member.id)
    assert (now_of(talk).assignee, now_of(talk).handler) == (cast.acme.alice.member, "team")
    assert "Bob assigned it to Alice" in text_of(bob.get("conversations:thread", talk.id))


def test_nobody_else_can_be_assigned(browser_of, cast, talk, now_of):
    bob = browser_of("bob")
    for stranger in (cast.acme.vera.member, cast.globex.mallory.member):
        assert bob.post("conversations:assign", talk.id, assignee=stranger.id).status_code == 404
    assert now_of(talk).assignee is None


def test_changing_the_title_leaves_what_a_teammate_assigned(browser_of, cast, talk, now_of):
    with cast.acme.scope():
        control.assign(talk, to=cast.acme.alice.member, by=cast.acme.alice.member)
    browser_of("bob").post("conversations:title", talk.id, title="Mine")
    assert now_of(talk).assignee == cast.acme.alice.member
