"""The life of a turn, on the rows: each transition, its guard, and what it leaves behind."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from agents.models import ModelCall, Turn, TurnState
from agents.services import leases, turns
from agents.services.contract import Fenced, TurnAnswer, TurnError
from agents.services.failing import book_fenced, fail_turn
from agents.services.insights import INSIGHTS
from agents.services.queueing import LEASE, TURN, NothingToRetry, cancel_turns, retry_turn
from agents.services.usage import MeteredCall
from conversations.models import Conversation, Event, Handler, Message
from conversations.services.control import hand_back, take_over
from conversations.services.lifecycle import resolve
from conversations.transcript import NewRow
from tenants.due import Work
from tenants.models import DueWork, Tenant
from tenants.scoping import tenant_scope
from tests.support.desk import Desk

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk():
    tenant = Tenant.objects.create(slug="northwind", name="Northwind Bikes")
    with tenant_scope(tenant.id):
        yield Desk.make()


def only_turn(conversation, **wanted):
    return Turn.objects.get(conversation=conversation, **wanted)


def claim(conversation):
    return turns.claim(only_turn(conversation, state="queued").id, owner="test")


def answer(claimed, text="It is on its way.", **options):
    saw = Conversation.objects.get(pk=claimed.conversation_id).last_seq
    options.setdefault("saw_seq", saw)
    row = NewRow("agent", text, turn_id=claimed.turn_id, saw_seq=options["saw_seq"])
    return TurnAnswer([row], **options)


def call(**options):
    return MeteredCall(
        "answer", "chat_completions", "m", "ok", input_tokens=100, output_tokens=20, **options
    )


def due_kinds():
    return sorted(DueWork.objects.values_list("kind", flat=True))


def test_a_customers_line_queues_one_turn_and_makes_it_due(desk):
    conversation = desk.start()

    assert only_turn(conversation).state == TurnState.QUEUED
    assert due_kinds() == [TURN]


def test_a_burst_is_one_turn(desk):
    conversation = desk.start("My helmet is cracked")
    desk.say(conversation, "size M")
    desk.say(conversation, "sorry, size L")

    assert only_turn(conversation).state == TurnState.QUEUED


def test_a_claim_takes_the_lease_and_raises_attempt_and_fence(desk):
    claimed = claim(desk.start())

    turn = Turn.objects.get(pk=claimed.turn_id)
    assert (turn.state, turn.attempt, turn.fence) == (TurnState.RUNNING, 1, 1)
    assert turn.lease_until is not None
    assert turn.lease_until > timezone.now()
    assert due_kinds() == [LEASE]


def test_a_turn_is_claimed_once(desk):
    conversation = desk.start()
    first = claim(conversation)

    assert turns.claim(first.turn_id, owner="another") is None


def test_a_commit_stores_the_answer_its_usage_and_ends_the_turn(desk):
    conversation = desk.start()
    claimed = claim(conversation)

    turns.commit_turn(claimed, answer=answer(claimed, calls=[call(input_price=10)]))

    conversation.refresh_from_db()
    turn = Turn.objects.get(pk=claimed.turn_id)
    assert turn.state == TurnState.SUCCEEDED
    assert (turn.input_tokens, conversation.input_tokens) == (100, 100)
    assert str(conversation.cost) == "0.001000"
    assert conversation.last_message_preview == "It is on its way."
    assert conversation.waiting_since is None
    assert due_kinds() == [INSIGHTS]


def test_a_line_that_came_meanwhile_gets_a_turn_of_its_own(desk):
    conversation = desk.start()
    claimed = claim(conversation)
    saw = Conversation.objects.get(pk=conversation.pk).last_seq
    desk.say(conversation, "order 1002")

    turns.commit_turn(claimed, answer=answer(claimed, saw_seq=saw))

    conversation.refresh_from_db()
    assert only_turn(conversation, state="queued")
    assert conversation.waiting_since is not None


def test_a_queued_turn_with_nothing_left_to_answer_calls_no_model(desk):
    conversation = desk.start()
    claimed = claim(conversation)
    desk.say(conversation, "order 1002")
    turns.commit_turn(claimed, answer=answer(claimed))
    queued = only_turn(conversation, state="queued")

    assert turns.claim(queued.id, owner="test") is None
    leases.settle_unclaimed(Work(desk.tenant.id, TURN, queued.id))

    queued.refresh_from_db()
    assert queued.state == TurnState.CANCELLED


def test_a_takeover_fences_the_running_turn_and_its_answer_is_refused(desk):
    conversation = desk.start()
    claimed = claim(conversation)
    take_over(conversation, by=desk.sam)

    with pytest.raises(Fenced):
        turns.commit_turn(claimed, answer=answer(claimed))

    assert Turn.objects.get(pk=claimed.turn_id).state == TurnState.CANCELLED
    assert not Message.objects.filter(role="agent").exists()
    assert not turns.heartbeat(claimed)


def test_what_a_fenced_worker_used_is_booked(desk):
    conversation = desk.start()
    claimed = claim(conversation)
    take_over(conversation, by=desk.sam)

    book_fenced(claimed, [call()])

    assert ModelCall.objects.count() == 1
    conversation.refresh_from_db()
    assert conversation.output_tokens == 20


def test_a_commit_that_only_looked_like_a_failure_is_booked_once(desk):
    claimed = claim(desk.start())
    turns.commit_turn(claimed, answer=answer(claimed, calls=[call()]))

    fail_turn(claimed, TurnError("database", retryable=True), [call()])

    assert ModelCall.objects.count() == 1
    assert Turn.objects.get(pk=claimed.turn_id).state == TurnState.SUCCEEDED


def test_a_refused_commit_gives_back_the_numbers(desk):
    conversation = desk.start()
    claimed = claim(conversation)
    Turn.objects.filter(pk=claimed.turn_id).update(fence=9)
    before = Conversation.objects.get(pk=conversation.pk).last_seq

    with pytest.raises(Fenced), transaction.atomic():
        turns.commit_turn(claimed, answer=answer(claimed))

    assert Conversation.objects.get(pk=conversation.pk).last_seq == before


def test_a_retryable_error_queues_the_turn_again_later(desk):
    claimed = claim(desk.start())

    fail_turn(claimed, TurnError("rate_limited", retryable=True, retry_after=30), [call()])

    turn = Turn.objects.get(pk=claimed.turn_id)
    assert (turn.state, turn.error_code) == (TurnState.QUEUED, "rate_limited")
    left = DueWork.objects.get(kind=TURN).due_at - timezone.now()
    assert timedelta(seconds=25) < left <= timedelta(seconds=31)
    assert ModelCall.objects.count() == 1


def test_a_final_failure_hands_the_talk_to_the_team_with_one_neutral_line(desk):
    conversation = desk.start()
    claimed = claim(conversation)
    error = TurnError("unauthorized", retryable=False, provider_status=401, detail="bad key")

    fail_turn(claimed, error, [])

    conversation.refresh_from_db()
    event = Event.objects.get(conversation=conversation, public=True)
    assert only_turn(conversation).state == TurnState.FAILED
    assert conversation.handler == Handler.TEAM
    assert event.kind == Event.Kind.FAILED
    assert "key" not in event.line
    assert "401" not in event.line


def test_the_third_lost_attempt_fails_and_a_person_is_called(desk):
    conversation = desk.start()
    for _ in range(3):
        claimed = claim(conversation)
        Turn.objects.filter(pk=claimed.turn_id).update(lease_until=Now() - timedelta(seconds=1))
        leases.recheck_lease(Work(desk.tenant.id, LEASE, claimed.turn_id))

    conversation.refresh_from_db()
    turn = only_turn(conversation)
    assert (turn.state, turn.attempt, turn.error_code) == (TurnState.FAILED, 3, "worker_lost")
    assert conversation.handler == Handler.TEAM


def test_a_lease_that_is_kept_stays_with_its_worker(desk):
    claimed = claim(desk.start())

    leases.recheck_lease(Work(desk.tenant.id, LEASE, claimed.turn_id))

    assert turns.heartbeat(claimed)


def test_the_answer_of_a_worker_that_lost_its_lease_is_refused(desk):
    conversation = desk.start()
    frozen = claim(conversation)
    Turn.objects.filter(pk=frozen.turn_id).update(lease_until=Now() - timedelta(seconds=1))
    leases.recheck_lease(Work(desk.tenant.id, LEASE, frozen.turn_id))
    second = claim(conversation)
    turns.commit_turn(second, answer=answer(second))

    with pytest.raises(Fenced):
        turns.commit_turn(frozen, answer=answer(frozen, "twice"))

    assert Message.objects.filter(role="agent").count() == 1


def test_one_tenant_runs_no_more_turns_than_its_cap(desk):
    Tenant.objects.filter(pk=desk.tenant.pk).update(max_running_turns=2)
    claimed = [claim(desk.start()) for _ in range(3)]

    assert [one is not None for one in claimed] == [True, True, False]


def test_resolving_cancels_what_is_queued(desk):
    conversation = desk.start()

    resolve(conversation, by=desk.sam)

    assert only_turn(conversation).state == TurnState.CANCELLED
    assert due_kinds() == []


def test_handing_back_answers_what_stands_unanswered(desk):
    conversation = desk.start()
    take_over(conversation, by=desk.sam)
    desk.say(conversation, "Hello?")

    hand_back(conversation, by=desk.sam)

    assert only_turn(conversation, state="queued").reason == Turn.Reason.HANDED_BACK


def test_a_failed_turn_can_be_retried_after_the_hand_back(desk):
    conversation = desk.start()
    claimed = claim(conversation)
    fail_turn(claimed, TurnError("refused", retryable=False), [])
    failed = Turn.objects.get(pk=claimed.turn_id)
    with pytest.raises(NothingToRetry):
        retry_turn(failed)
    hand_back(conversation, by=desk.sam)

    retried = retry_turn(failed)

    assert retried.state == TurnState.QUEUED
    assert Turn.objects.filter(conversation=conversation, state="queued").count() == 1


def test_asking_for_a_person_ends_in_one_answer_and_the_team(desk):
    conversation = desk.start("I want a human")
    claimed = claim(conversation)

    turns.commit_turn(claimed, answer=answer(claimed, asks_for_person="asked for it"))

    conversation.refresh_from_db()
    kinds = list(Event.objects.values_list("kind", flat=True))
    assert conversation.handler == Handler.TEAM
    assert kinds == [Event.Kind.PERSON_ASKED]


@pytest.mark.parametrize(
    ("before", "after"),
    [("queued", "succeeded"), ("succeeded", "queued"), ("cancelled", "running")],
)
def test_the_database_refuses_a_transition_that_is_not_allowed(desk, before, after):
    turn = only_turn(desk.start())
    if before == "succeeded":
        claimed = claim(turn.conversation)
        turns.commit_turn(claimed, answer=answer(claimed))
    elif before == "cancelled":
        cancel_turns(turn.conversation)

    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE agents_turn SET state = %s, finished_at = now() WHERE id = %s",
            [after, turn.id],
        )


def test_the_database_refuses_a_lower_fence(desk):
    claimed = claim(desk.start())

    with pytest.raises(IntegrityError), transaction.atomic():
        Turn.objects.filter(pk=claimed.turn_id).update(fence=0)


@pytest.mark.parametrize("ends", [book_fenced, None], ids=["fenced", "failed"])
def test_what_a_turn_used_while_its_talk_was_erased_counts_and_belongs_to_nobody(desk, ends):
    conversation = desk.start()
    claimed = claim(conversation)
    Conversation.objects.filter(pk=conversation.pk).update(erased_at=Now())
    if ends:
        ends(claimed, [call()])
    else:
        fail_turn(claimed, TurnError("timeout", retryable=True), [call()])
    booked = ModelCall.objects.get()
    assert (booked.conversation_id, booked.turn_id) == (None, None)
    assert booked.input_tokens > 0
