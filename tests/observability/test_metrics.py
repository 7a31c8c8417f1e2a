"""What an operator's Prometheus reads: true, of nobody in particular, and for nobody else."""

import pytest
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from agents import tasks
from agents.services.queueing import TURN
from conversations.services.control import take_over
from tenants.due import Work
from tests.support.queries import at_most
from tests.support.redis import empty_redis
from tests.support.scripted import Say
from tests.support.shop import Shop, refund

pytestmark = pytest.mark.django_db(transaction=True)

TOKEN = "only-for-prometheus"


@pytest.fixture(autouse=True)
def _token(settings):
    settings.METRICS_TOKEN = TOKEN
    empty_redis()
    yield
    empty_redis()


def scraped():
    answer = Client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    text = answer.content.decode()
    return text, {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def answer(shop):
    """As the worker does it, with the offline model."""
    tasks.answer(Work(shop.tenant.id, TURN, shop.queued()))


def test_turns_are_counted_by_state_as_they_go():
    shop = Shop.make()
    shop.say("I want to talk to a person")
    _, seen = scraped()
    assert seen["turnstone_turns", "queued"] == 1
    assert seen["turnstone_due_work_late", "turn"] == 1
    assert seen["turnstone_due_work_oldest_seconds", "turn"] > 0
    answer(shop)
    _, seen = scraped()
    assert seen["turnstone_turns", "queued"] == 0
    assert seen["turnstone_turns_ended_total", "succeeded"] == 1
    assert seen["turnstone_turn_attempts_total", "answered"] == 1
    assert seen["turnstone_answer_seconds_count",] == 1
    assert seen["turnstone_answer_seconds_bucket", "+Inf"] == 1
    assert seen["turnstone_turn_wait_seconds_count",] == 1


def test_what_rests_and_what_a_takeover_ends_is_counted():
    shop = Shop.make()
    shop.say("Refund it, please.")
    shop.work_off(Say(text="I will.", calls=[refund()]))
    _, seen = scraped()
    assert seen["turnstone_turns", "awaiting_approval"] == 1
    assert ("turnstone_turns_ended_total", "succeeded") not in seen
    shop.say("Hello?")
    with shop.scope():
        take_over(shop.row(), by=shop.bob)
    _, seen = scraped()
    assert seen["turnstone_turns_ended_total", "cancelled"] == 2
    assert seen["turnstone_turns", "awaiting_approval"] == 0


def test_tokens_and_cost_are_those_of_the_booked_calls():
    shop = Shop.make(input_price=100, output_price=200)
    shop.say("Hello")
    shop.work_off(Say(text="Good day.", usage=(7, 3)))
    shop.say("Hello again")
    shop.work_off(Say(fail=ValueError("no"), usage=(7, 3)))
    _, seen = scraped()
    assert seen["turnstone_tokens_total", "answer", "input"] >= 7
    assert seen["turnstone_tokens_total", "answer", "output"] == 3
    assert seen["turnstone_cost_total", "USD"] == float(shop.row().cost) > 0
    assert seen["turnstone_model_calls_total", "answer", "offline", "ok"] == 1
    assert seen["turnstone_model_calls_total", "answer", "error", "offline"] == 3  # its attempts
    assert seen["turnstone_turns_ended_total", "failed"] == 1


def test_no_tenant_and_no_word_stands_there_and_one_statement_is_sent():
    shop = Shop.make()
    shop.say("I am Zebra4711")
    shop.work_off(Say(text="Giraffe0815"))
    with at_most(1) as sent:
        text, _ = scraped()
    assert "tenants_duework" in sent[0]
    for word in ("Zebra4711", "Giraffe0815", "lumen", "Ada", str(shop.tenant.id)):
        assert word not in text


def test_it_is_nobodys_without_the_token(settings):
    assert Client().get("/metrics").status_code == 401
    wrong = {"Authorization": f"Bearer {TOKEN}x"}
    assert Client().get("/metrics", headers=wrong).status_code == 401
    settings.METRICS_TOKEN = ""
    empty = {"Authorization": "Bearer "}
    assert Client().get("/metrics", headers=empty).status_code == 404
    assert Client().get("/metrics").status_code == 404
