"""The loop of a run and the way out of it: one thread, one connection, no thread waited for."""

import asyncio
import threading

import pytest
from django.db import connection

from agents.runtime.loop import run_here, step_out
from tenants.models import Tenant


@pytest.mark.django_db
def test_the_desk_acts_on_the_callers_connection_and_in_its_thread():
    Tenant.objects.create(slug="here", name="Here")

    async def main():
        return step_out(lambda: (threading.get_ident(), id(connection.connection), slugs()))

    assert run_here(main()) == (threading.get_ident(), id(connection.connection), ["here"])


def slugs():
    return list(Tenant.objects.values_list("slug", flat=True))


def test_the_loop_goes_on_after_an_error_outside_it():
    def fail():
        raise ValueError("outside")

    async def main():
        with pytest.raises(ValueError, match="outside"):
            step_out(fail)
        await asyncio.sleep(0)
        return asyncio.get_running_loop().is_running()

    assert run_here(main())


def test_what_a_run_left_behind_is_cancelled_and_awaited():
    ended = []

    async def forever():
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(True)

    async def main():
        task = asyncio.create_task(forever())
        await asyncio.sleep(0)
        return task

    assert run_here(main()).cancelled()
    assert ended == [True]


def test_a_thread_that_cannot_be_cancelled_keeps_nobody_waiting():
    release, ended = threading.Event(), threading.Event()

    def look_up():
        release.wait(30)
        ended.set()

    async def main():
        async with asyncio.timeout(0.05):
            await asyncio.to_thread(look_up)

    with pytest.raises(TimeoutError):
        run_here(main())
    assert not ended.is_set()
    release.set()
    assert ended.wait(30)
