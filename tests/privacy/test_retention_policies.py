"""Policies wait before they take more, days are the tenant's days, and previews respect rights."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from conversations.models import Conversation, Kind, RetentionPolicy
from conversations.selectors.retention import preview
from conversations.selectors.retention_law import Rule
from conversations.services import retention
from conversations.services.retention import NotWaiting, PolicySettings, SamePerson
from conversations.tasks import start_policy
from tenants.due import Work
from tenants.errors import InvalidInput
from tenants.models import AuditEntry, DueWork
from tests.privacy.policies import aged, mark, policy, visible, whole_round

AUCKLAND = ZoneInfo("Pacific/Auckland")
DAY = timedelta(days=1)


@pytest.fixture
def petra(cast):
    return cast.acme.petra.member


@pytest.fixture
def olga(cast):
    return cast.acme.olga.member


def test_a_new_policy_takes_nothing_for_a_day(cast, petra):
    with cast.acme.scope():
        talk = aged(cast.carol, 90 * DAY, now=timezone.now())
        made = retention.make_policy(PolicySettings("Tidy up", 30), by=petra)
        assert made.starts_at - timezone.now() > timedelta(hours=23, minutes=59)
        retention.start(made.id)
        whole_round()
        assert visible() == {talk.id}
        work = DueWork.objects.get(kind=retention.START, ref_id=made.id)
        assert work.due_at == made.starts_at
        RetentionPolicy.objects.update(starts_at=timezone.now())
    start_policy(Work(cast.acme.tenant.id, retention.START, made.id))
    with cast.acme.scope():
        whole_round()
        assert visible() == set()
        assert not DueWork.objects.filter(kind=retention.START).exists()
        assert AuditEntry.objects.get(action="retention_policy_made").detail["days"] == 30


def test_keeping_longer_starts_at_once_and_keeping_less_waits_beside_the_old_one(cast, petra):
    with cast.acme.scope():
        first = policy(petra, 30)
        longer = retention.make_policy(PolicySettings("Longer", 60, replaces=first), by=petra)
        first.refresh_from_db()
        assert (longer.state, first.state) == ("active", "ended")
        shorter = retention.make_policy(PolicySettings("Shorter", 59, replaces=longer), by=petra)
        wider = retention.make_policy(
            PolicySettings("Wider", 90, replaces=longer, status="resolved"), by=petra
        )
        longer.refresh_from_db()
        assert (shorter.state, wider.state, longer.state) == ("waiting", "waiting", "active")


def test_a_large_one_wants_another_person(cast, petra, olga):
    with cast.acme.scope():
        aged(cast.carol, 90 * DAY, now=timezone.now(), last_seq=9_999)
        exact = retention.make_policy(PolicySettings("Tidy up", 30), by=petra)
        assert (exact.rows, exact.needs_second) == (10_000, False)
        retention.end(exact, by=petra)
        aged(cast.carol, 90 * DAY, now=timezone.now())
        made = retention.make_policy(PolicySettings("Tidy up", 30), by=petra)
        assert (made.rows, made.needs_second) == (10_002, True)
        RetentionPolicy.objects.update(starts_at=timezone.now())
        retention.start(made.id)
        with pytest.raises(SamePerson):
            retention.second(made, by=petra)
        made.refresh_from_db()
        assert made.state == "waiting"
        retention.second(made, by=olga)
        with pytest.raises(NotWaiting):
            retention.second(made, by=olga)
    start_policy(Work(cast.acme.tenant.id, retention.START, made.id))
    with cast.acme.scope():
        made.refresh_from_db()
        assert made.state == "active"


@pytest.mark.parametrize(
    ("since", "ends"),
    [
        # Clocks go back on 5 April 2026 and forward on 27 September 2026 in Auckland.
        (datetime(2026, 3, 20, 12, tzinfo=AUCKLAND), datetime(2026, 4, 19, 12, tzinfo=AUCKLAND)),
        (datetime(2026, 9, 10, 12, tzinfo=AUCKLAND), datetime(2026, 10, 10, 12, tzinfo=AUCKLAND)),
        (
            datetime(2026, 6, 1, 0, 30, tzinfo=AUCKLAND),
            datetime(2026, 7, 1, 0, 30, tzinfo=AUCKLAND),
        ),
        # The hour that is missing ends an hour later, the one that comes twice ends once.
        (
            datetime(2026, 8, 28, 2, 30, tzinfo=AUCKLAND),
            datetime(2026, 9, 27, 3, 30, tzinfo=AUCKLAND),
        ),
    ],
)
def test_thirty_days_end_at_the_same_hour_of_the_tenants_clock(cast, petra, since, ends):
    cast.acme.tenant.time_zone = "Pacific/Auckland"
    cast.acme.tenant.save()
    with cast.acme.scope():
        talk = aged(cast.carol, timedelta(), now=since)
        policy(petra, 30)
        mark()
        assert Conversation.stored.get(pk=talk.pk).expires_at == ends
        minute = timedelta(minutes=1)
        before, after = (
            preview(Rule(30), Kind.MESSAGES, member=petra, now=ends.astimezone(AUCKLAND) + step)
            for step in (-minute, minute)
        )
        assert (before.counts["conversations"], after.counts["conversations"]) == (0, 1)


def test_another_zone_ends_at_another_moment(cast, petra):
    since = datetime(2026, 9, 10, 12, tzinfo=AUCKLAND)
    with cast.acme.scope():
        talk = aged(cast.carol, timedelta(), now=since)
        policy(petra, 30)
        mark()
        assert Conversation.stored.get(pk=talk.pk).expires_at == since.astimezone(UTC) + 30 * DAY


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        (PolicySettings("", 30), "name"),
        (PolicySettings("x", 0), "days"),
        (PolicySettings("x", 30, kind="everything"), "kind"),
        (PolicySettings("x", 30, status="lost"), "status"),
        (PolicySettings("x", 30, channel="pigeon"), "channel"),
    ],
)
def test_nonsense_is_named(cast, petra, asked, field):
    with cast.acme.scope():
        with pytest.raises(InvalidInput) as refused:
            retention.make_policy(asked, by=petra)
        assert list(refused.value.errors) == [field]
