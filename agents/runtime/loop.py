"""The event loop of a run, in the thread that called and that owns the database's connection.

Two threads, one for the loop and one for the database, would cost a turn more than its statements:
every hop between them wakes a thread that waits for the interpreter's lock (decision 0049).
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def run_here(main: Coroutine[Any, Any, _Result]) -> _Result:
    """Runs a coroutine to its end on a loop of its own in this thread; none may run here yet.

    What it left behind is cancelled and awaited, but no thread, as `asyncio.run` would: the look-up
    of a name cannot be cancelled, and must not keep a turn from being given up.
    """
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(main)
    finally:
        try:
            _cancel_rest(loop)
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            loop.close()


def _cancel_rest(loop: asyncio.AbstractEventLoop) -> None:
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))


def step_out(
    act: Callable[_Given, _Result], /, *args: _Given.args, **kwargs: _Given.kwargs
) -> _Result:
    """Lets synchronous code of the desk act from within a coroutine that `run_here` runs.

    The loop stands still meanwhile, which serves one turn only, so a cancellation can never fall
    into the middle of a commit. For short statements; never for what waits for another machine.
    """
    # Django and its connections ask whether a loop runs in this thread, and refuse, or keep a
    # second connection, if one does. Here nothing else can run until `act` has returned.
    loop = asyncio.get_running_loop()
    asyncio._set_running_loop(None)  # noqa: SLF001 - asyncio's own, for those who drive a loop
    try:
        return act(*args, **kwargs)
    finally:
        asyncio._set_running_loop(loop)  # noqa: SLF001 - as above
