"""Usage: the sums agree at every level, days are the tenant's, and nothing is drawn by script."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from agents.console.chart import Bar, chart, nice_top, short
from agents.models import ModelCall
from agents.selectors.usage import LEVELS, Days, totals, usage
from agents.services.usage import MeteredCall, book_calls
from tests.support.console import start, text_of
from tests.support.queries import at_most

FIRST, LAST = date(2026, 3, 1), date(2026, 3, 31)


def call(**options) -> MeteredCall:
    usual = {"purpose": "answer", "api": "responses", "model": "m-1", "outcome": "ok"}
    money = {"input_price": Decimal(2), "output_price": Decimal(8)}
    return MeteredCall(**{**usual, **money, "input_tokens": 1000, "output_tokens": 100, **options})


def at(when: datetime) -> None:
    ModelCall.objects.filter(created_at__gte=timezone.now() - timedelta(minutes=5)).update(
        created_at=when
    )


@pytest.fixture
def used(cast):
    with cast.acme.scope():
        one, two = start(cast.carol), start(cast.carol, "another")
        book_calls([call(), call(model="m-2")], conversation_id=one.id)
        at(datetime(2026, 3, 2, 12, tzinfo=UTC))
        book_calls([call(purpose="title", outcome="error")], conversation_id=two.id)
        # Half past eleven in the evening in London, the next day already in Tokyo.
        at(datetime(2026, 3, 9, 23, 30, tzinfo=UTC))
        book_calls([call(currency="EUR")], conversation_id=None)
        at(datetime(2026, 3, 31, 9, tzinfo=UTC))
    return one


@pytest.mark.parametrize("by", LEVELS)
def test_the_sums_agree_at_every_level(cast, used, by):
    days = Days(FIRST, LAST, ZoneInfo("UTC"))
    with cast.acme.scope():
        for total in totals(days):
            rows = [row for row in usage(days, by=by) if row.currency == total.currency]
            for name in ("calls", "failed_calls", "tokens", "failed_tokens", "cost"):
                assert sum(getattr(row, name) for row in rows) == getattr(total, name), name


def test_money_of_two_currencies_is_never_added(cast, used):
    with cast.acme.scope():
        found = {row.currency: row.cost for row in totals(Days(FIRST, LAST, ZoneInfo("UTC")))}
    assert found == {"USD": Decimal("0.008400"), "EUR": Decimal("0.002800")}


def test_days_are_counted_in_the_tenants_zone(cast, used):
    with cast.acme.scope():
        for zone, day in (("UTC", 9), ("Asia/Tokyo", 10)):
            rows = usage(Days(FIRST, LAST, ZoneInfo(zone)), by="day")
            assert rows[1].key == date(2026, 3, day), zone


def test_the_range_includes_its_last_day_and_no_more(cast, used):
    with cast.acme.scope():
        days = Days(date(2026, 3, 2), date(2026, 3, 2), ZoneInfo("UTC"))
        assert [row.calls for row in totals(days)] == [2]


@pytest.mark.parametrize("by", LEVELS)
def test_each_level_is_one_statement(cast, used, by):
    with cast.acme.scope(), at_most(1):
        usage(Days(FIRST, LAST, ZoneInfo("UTC")), by=by)


def test_the_page_shows_chart_tables_and_where_the_money_went(browser_of, used):
    page = text_of(browser_of("vera").get("agents:usage", first="2026-03-01", last="2026-03-31"))
    for words in ("0.0084 USD", "0.0028 EUR", "Where is order 1001?", "Outside conversations"):
        assert words in page
    assert '<rect class="bar"' in page
    assert '<rect class="bar-failed"' in page
    assert "style=" not in page


def test_a_range_the_wrong_way_round_says_so(browser_of, used):
    page = text_of(browser_of("bob").get("agents:usage", first="2026-03-31", last="2026-03-01"))
    assert "The last day lies before the first" in page


def test_another_tenant_sees_none_of_it(browser_of, used):
    assert browser_of("mallory").get("agents:usage").status_code == 404


def test_the_page_costs_the_same_for_any_number_of_calls(browser_of, cast, used):
    vera, march = browser_of("vera"), {"first": "2026-03-01", "last": "2026-03-31"}
    with at_most(12) as few:
        vera.get("agents:usage", **march)
    with cast.acme.scope():
        for number in range(15):
            talk = start(cast.carol, f"talk {number}")
            book_calls([call(model=f"m-{number}")], conversation_id=talk.id)
        at(datetime(2026, 3, 20, tzinfo=UTC))
    with at_most(12) as many:
        vera.get("agents:usage", **march)
    assert len(few) == len(many)


def test_the_chart_fits_its_frame():
    days = [FIRST + timedelta(days=number) for number in range(31)]
    drawn = chart(days, {FIRST: Bar(1234, 34), days[-1]: Bar(10)})
    for bar in drawn["bars"]:
        assert 0 <= bar["failed_y"] <= bar["y"] <= drawn["base"]
        assert bar["x"] + bar["width"] <= drawn["width"]
    assert len(drawn["days"]) <= 10
    assert chart(days, {})["bars"] == []


@pytest.mark.parametrize(("most", "top"), [(0, 0), (1, 4), (4, 4), (5, 8), (999, 2000), (81, 200)])
def test_the_scale_ends_at_a_round_number(most, top):
    assert nice_top(most) == top


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (999, "999"), (1500, "1.5k"), (20000, "20k"), (3_000_000, "3M")]
)
def test_large_numbers_are_short(value, text):
    assert short(value) == text
