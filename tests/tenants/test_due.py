"""What is due happens: once its row is committed, whatever the messages do."""

import base64
import json
from contextlib import contextmanager
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
import redis
from django.db import transaction
from django.db.models.functions import Now

from conversations.models import Conversation, Status
from conversations.services.lifecycle import SNOOZE
from tenants import due
from tenants.models import DueWork
from tenants.scoping import NoTenantScope, tenant_scope
from tests.support.rows import Rows
from tests.support.stack import running_stack, wait_for

PROBE = due.kind("probe", queue="bulk")
AWAITED = due.kind("awaited probe", queue="bulk", urgent=True)


@pytest.fixture
def handled(monkeypatch):
    """The pieces of work that the probe's handler was given."""
    seen = []

    def handle(work):
        with work.scope():
            seen.append(work)
            work.done()

    monkeypatch.setitem(due._handlers, PROBE, handle)
    return seen


def row(ref):
    return DueWork.objects.filter(ref_id=ref).first()


def test_the_row_is_written_with_what_makes_it_true(acme):
    ref = uuid4()
    with acme.scope():
        due.schedule(PROBE, ref, after=60)
    assert row(ref).tenant_id == acme.tenant.id


def test_nothing_is_due_when_the_transaction_fails(acme):
    ref = uuid4()

    def fail():
        with acme.scope():
            due.schedule(PROBE, ref)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert row(ref) is None


def test_nothing_is_scheduled_outside_a_scope(db):
    with pytest.raises(NoTenantScope):
        due.schedule(PROBE, uuid4())


def test_scheduling_again_moves_the_one_row(acme):
    ref = uuid4()
    with acme.scope():
        due.schedule(PROBE, ref, after=5)
        first = row(ref).due_at
        due.schedule(PROBE, ref, after=500)
    assert row(ref).due_at > first
    assert DueWork.objects.filter(ref_id=ref).count() == 1


def test_what_was_cancelled_does_not_run(acme, handled):
    ref = uuid4()
    with acme.scope():
        due.schedule(PROBE, ref, after=60)
        due.cancel(PROBE, ref)
    due.run(acme.tenant.id, PROBE, ref)
    assert handled == []


def test_a_second_message_finds_nothing_to_do(acme, handled):
    ref = uuid4()
    with acme.scope():
        due.schedule(PROBE, ref, after=60)
    due.run(acme.tenant.id, PROBE, ref)
    due.run(acme.tenant.id, PROBE, ref)
    assert len(handled) == 1


def test_a_message_of_another_tenant_runs_nothing(acme, globex, handled):
    ref = uuid4()
    with acme.scope():
        due.schedule(PROBE, ref, after=60)
    due.run(globex.tenant.id, PROBE, ref)
    assert handled == []
    assert row(ref)


def test_what_fails_stays_due(acme, monkeypatch):
    def fail(work):
        with work.scope():
            work.done()
            raise ZeroDivisionError

    monkeypatch.setitem(due._handlers, PROBE, fail)
    ref = uuid4()
    with acme.scope():
        due.schedule(PROBE, ref, after=60)
    with pytest.raises(ZeroDivisionError):
        due.run(acme.tenant.id, PROBE, ref)
    assert row(ref)


def test_one_handler_holds_it_and_no_second_bell_gets_it(acme, monkeypatch):
    ref, got = uuid4(), []
    with acme.scope():
        due.schedule(PROBE, ref)
    first = row(ref).due_at

    def hold(work):
        with work.scope():
            got.append(work.hold(60))

    monkeypatch.setitem(due._handlers, PROBE, hold)
    for _ in range(3):
        due.run(acme.tenant.id, PROBE, ref)
    hold(due.Work(acme.tenant.id, PROBE, ref, first))
    held, *others = got
    assert others == [None] * 3
    assert held.due_at == row(ref).due_at > first
    with acme.scope():
        held.done()
    assert row(ref) is None


def test_what_was_scheduled_anew_while_it_ran_is_not_lost(acme, monkeypatch):
    ref = uuid4()

    def handle(work):
        with work.scope():
            due.schedule(PROBE, ref, after=600)  # somebody else's, committed meanwhile
        with work.scope():
            work.done()

    monkeypatch.setitem(due._handlers, PROBE, handle)
    with acme.scope():
        due.schedule(PROBE, ref, after=60)
    due.run(acme.tenant.id, PROBE, ref)
    assert row(ref)


@pytest.mark.parametrize(
    ("kind", "tries", "pause"),
    [
        *(
            (PROBE, tries, pause)
            for tries, pause in [(0, 10), (1, 20), (2, 40), (5, 300), (9, 300)]
        ),
        *((AWAITED, tries, pause) for tries, pause in [(0, 10), (1, 20), (2, 40), (9, 40)]),
    ],
)
def test_the_sweep_rings_again_after_a_growing_pause(acme, rung, kind, tries, pause):
    late(acme, uuid4(), kind=kind)

    rang(seconds_ago=pause - 2, tries=tries)
    due.sweep()
    assert rung() == []
    rang(seconds_ago=pause + 2, tries=tries)
    due.sweep()
    assert len(rung()) == 1


def rang(*, seconds_ago, tries):
    DueWork.objects.update(tries=tries, sent_at=Now() - timedelta(seconds=seconds_ago))


def test_what_was_never_sent_is_sent_by_the_next_sweep_and_once(acme, rung):
    ref = uuid4()
    late(acme, ref)
    due.sweep()
    due.sweep()
    assert rung() == [ref]


def test_the_sweep_leaves_what_is_not_due_yet(acme, rung):
    with acme.scope():
        due.schedule(PROBE, uuid4(), after=60)
    due.sweep()
    assert rung() == []


def test_one_tenants_flood_does_not_stand_before_the_others(acme, globex, rung):
    for _ in range(due.SWEEP_SHARE + 20):
        late(acme, uuid4())
    other = uuid4()
    late(globex, other)

    due.sweep()

    assert other in rung()
    assert len(rung()) == due.SWEEP_SHARE + 1


def test_a_broken_bell_is_left_alone_for_a_while(acme, monkeypatch):
    monkeypatch.setattr(due, "_silent_until", float("inf"))
    assert due.ring(acme.tenant.id, PROBE, uuid4()) is False


@pytest.fixture
def rung(settings, monkeypatch):
    """Asks which ids stand in the broker's queue, oldest first."""
    monkeypatch.setattr(due, "_silent_until", 0.0)
    with redis.Redis.from_url(settings.REDIS_URL) as broker:
        broker.flushdb()
        yield lambda: [_ref_of(message) for message in reversed(broker.lrange("bulk", 0, -1))]
        broker.flushdb()


def _ref_of(message):
    body = json.loads(base64.b64decode(json.loads(message)["body"]))
    return UUID(body[1]["ref_id"])


def late(team, ref, *, kind=PROBE):
    with team.scope():
        due.schedule(kind, ref, after=60)
    DueWork.objects.filter(ref_id=ref).update(due_at=Now() - timedelta(seconds=60))


@contextmanager
def asleep(team):
    """A conversation whose snooze has ended, committed; nobody has been told yet."""
    with team.scope():
        conversation = Rows().one(Conversation)
        Conversation.objects.filter(id=conversation.id).update(
            status=Status.SNOOZED, snoozed_until=Now() - timedelta(seconds=1)
        )
    yield conversation


def is_awake(conversation):
    with tenant_scope(conversation.tenant_id):
        return Conversation.objects.get(id=conversation.id).status == Status.OPEN


@pytest.mark.durability
@pytest.mark.django_db(transaction=True)
def test_a_worker_is_told_at_once(acme):
    with asleep(acme) as conversation, running_stack("bulk"):
        with acme.scope():
            due.schedule(SNOOZE, conversation.id)
        wait_for(lambda: is_awake(conversation), 5, "the bell woke the worker")
        assert row(conversation.id) is None


@pytest.mark.durability
@pytest.mark.django_db(transaction=True)
def test_a_lost_message_is_made_up_for_by_the_sweep(acme, settings):
    quick = {"TURNSTONE_SWEEP_SECONDS": "0.5"}
    with asleep(acme) as conversation, running_stack("bulk", "sweep", "beat", env=quick):
        with acme.scope(), transaction.atomic():
            due._upsert(acme.tenant.id, SNOOZE, conversation.id, seconds=0, at=None)
        wait_for(lambda: is_awake(conversation), 15, "the sweep found the row")
        assert row(conversation.id) is None
