"""Whatever ends the supervisor, nothing it started lives on."""

import signal

import pytest

from tests.devstack.house import PATIENCE, read_until


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_all_in_order(house, number):
    child = house.small("stubborn")
    read_until(child, "forked")
    assert len(house.left()) >= 5  # PostgreSQL, Valkey, web, a worker and what it forked
    child.send_signal(number)
    assert child.wait(PATIENCE) == 0
    assert house.left() == []
    assert "database system is shut down" in (house.data / "log" / "postgres.log").read_text()


def test_ctrl_c_twice_does_not_wait_for_the_stubborn(house):
    child = house.small("stubborn")
    read_until(child, "forked")
    for _ in range(2):
        child.send_signal(signal.SIGINT)
    assert child.wait(PATIENCE) == 0
    assert house.left() == []


def test_a_killed_supervisor_leaves_no_server_and_can_start_anew(house):
    child = house.small("plain")
    read_until(child, "up")
    child.kill()
    child.wait()
    assert house.gone_within(5)
    again = house.small("plain")
    read_until(again, "up")


def test_the_end_of_web_ends_everything_with_a_failure(house):
    child = house.small("web-ends")
    said = read_until(child, "stopping everything")
    assert "web ended with code 3" in said
    assert child.wait(PATIENCE) == 1
    assert house.left() == []


def test_a_worker_that_ends_is_started_again_after_a_growing_pause(house):
    child = house.small("worker-ends")
    said = read_until(child, "in 2 s")
    assert "turns ended with code 3: starting it again in 1 s" in said
