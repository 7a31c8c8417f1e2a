"""Redis that is down or silent slows nobody and refuses nobody."""

import socket

import pytest

from tenants import quick_redis
from tenants.errors import TooManyRequests
from tenants.rates import address_group, check_rate
from tests.support.redis import empty_redis


@pytest.fixture
def fresh():
    """A client of this test's Redis, and the breaker closed before and after."""

    def reset():
        quick_redis._client.cache_clear()
        quick_redis.breaker.closed_again_at = 0

    reset()
    yield
    reset()


@pytest.fixture
def silent(settings, fresh):
    """A server that lets everyone in and never says a word; counts who came."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.LIVE_REDIS_URL = f"redis://127.0.0.1:{server.getsockname()[1]}/0"
        server.setblocking(False)
        yield server


def knocks(server):
    """How many connections were made so far."""
    count = 0
    while True:
        try:
            server.accept()[0].close()
        except BlockingIOError:
            return count
        count += 1


@pytest.fixture
def down(settings, fresh):
    settings.LIVE_REDIS_URL = "redis://127.0.0.1:1/0"


def test_a_silent_redis_is_asked_once_and_then_left_alone(silent):
    for _ in range(100):
        assert quick_redis.attempt(lambda client: client.get("x")) is None

    assert knocks(silent) == 1


def test_connecting_and_answering_have_a_fifth_of_a_second_together():
    options = quick_redis.connection_options()

    assert options["socket_connect_timeout"] + options["socket_timeout"] <= 0.2
    assert options["retry"].get_retries() == 0


def test_rates_refuse_nobody_while_redis_is_down(down):
    for _ in range(5):
        check_rate("test", "somebody", limit=1, seconds=60)


def test_after_its_pause_the_breaker_lets_through_again(down, settings):
    check_rate("test", "somebody", limit=1, seconds=60)
    assert quick_redis.breaker.is_open()

    quick_redis.breaker.closed_again_at = 0

    assert not quick_redis.breaker.is_open()


def test_a_rate_refuses_what_is_above_it_and_says_when_to_come_again(fresh):
    empty_redis()
    for _ in range(3):
        check_rate("test", "one", limit=3, seconds=60)
        check_rate("test", "other", limit=3, seconds=60)

    with pytest.raises(TooManyRequests) as refused:
        check_rate("test", "one", limit=3, seconds=60)

    assert 1 <= refused.value.extra["retry_after"] <= 60


def test_an_ipv6_household_counts_as_one_address():
    assert address_group("2001:db8:1:2:aaaa::1") == address_group("2001:db8:1:2:bbbb::2")
    assert address_group("192.0.2.1") == "192.0.2.1"
