"""What leaves in traces when everything that can go wrong carries words with it."""

import pytest
from django.test import Client, override_settings
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from agents import tasks  # noqa: F401 - registers what handles a turn
from agents.models import Turn
from agents.runtime import instrumentation
from agents.services.queueing import TURN
from config import telemetry
from demo_shop.services import orders
from tenants import due, tracing
from tenants.models import DueWork
from tests.support.scripted import Say
from tests.support.shop import Shop, look_up, refund

pytestmark = pytest.mark.django_db(transaction=True)

WORD = "zebra4711"


@pytest.fixture(scope="module")
def exporter():
    """One for the module: the API takes a process's provider once and keeps it."""
    kept = InMemorySpanExporter()
    with override_settings(OTEL_ENDPOINT="http://collector.invalid"):
        telemetry.keep(SimpleSpanProcessor(telemetry.discreet(kept)), role="test")
        instrumentation.settle()
        yield kept
    tracing.use(None)
    instrumentation.settle()


@pytest.fixture
def spans(exporter):
    exporter.clear()
    return exporter.get_finished_spans


def everything(spans):
    return " ".join(span.to_json() for span in spans)


def test_a_talk_full_of_words_leaves_names_of_tools_and_counts(spans):
    shop = Shop.make()
    shop.say(f"I am {WORD} and my order is 1001.")
    shop.work_off(
        Say(text=f"Hello {WORD}", calls=[look_up(WORD)]),
        Say(calls=[refund(reason=f"Because {WORD}.")]),
    )
    names = [span.name for span in spans()]
    assert "invoke_agent desk" in names
    assert "execute_tool look_up_order" in names
    assert WORD not in everything(spans())


def test_a_tool_and_a_model_that_fail_leave_the_kind_of_their_fault(spans, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError(f"dsn=postgres://{WORD}@host/db")

    monkeypatch.setattr(orders, "refunded", broken)
    shop = Shop.make()
    shop.say("Where is order 1001?")
    shop.work_off(Say(calls=[look_up()]), Say(fail=ValueError(f"your key {WORD} is wrong")))
    assert shop.states(Turn) == ["failed"]
    assert WORD not in everything(spans())
    assert "ValueError" in everything(spans())


def test_a_request_is_named_by_its_route_and_never_by_its_values(spans):
    foreign = f"00-{'a' * 32}-{'b' * 16}-01"
    Client().get(f"/t/{WORD}/?q={WORD}", headers={"traceparent": foreign})
    (span,) = spans()
    assert span.name.startswith("GET t/<slug:")
    assert WORD not in everything([span])
    # A stranger's trace is none of ours: they would decide what is sampled.
    assert span.parent is None


def test_a_place_that_is_no_place_begins_a_trace_and_the_work_is_done(spans):
    shop = Shop.make()
    with shop.scope():
        due.schedule(TURN, shop.tenant.id)
    DueWork.objects.update(trace=f"00-{'0' * 32}-{'0' * 16}-01")
    due.run(shop.tenant.id, TURN, shop.tenant.id)
    assert not DueWork.objects.exists()
    (span,) = spans()
    assert (span.name, span.parent) == ("due turn", None)
