"""A real stack on the test database: uvicorn, Celery workers and beat, each to be killed at will.

Rows must be committed for these processes to see them: use it with
`@pytest.mark.django_db(transaction=True)`.
"""

import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from devstack import process, programs
from devstack.process import Program
from tests.support.redis import empty_redis

KINDS = {kind.queue: kind for kind in programs.WORKERS}


class Stack:
    """Handles of the children, by name: "web", "turns", "bulk", "sweep", "beat"."""

    def __init__(self, data: Path, env: Mapping[str, str]) -> None:
        self.data = data
        self.env = {"DJANGO_SETTINGS_MODULE": "config.settings_test", **env}
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.children: dict[str, tuple[Program, subprocess.Popen[bytes]]] = {}

    def start(self, *names: str) -> None:
        """Start these; web and workers are ready when it returns."""
        for name in names:
            program = self._program(name)
            self.children[name] = (program, process.spawn(program))
        for name in names:
            self._wait(name)

    def pid(self, name: str) -> int:
        return self.children[name][1].pid

    def kill(self, name: str, number: signal.Signals = signal.SIGKILL) -> None:
        """Send the signal to the child and wait for its end."""
        program, child = self.children.pop(name)
        child.send_signal(number)
        child.wait(program.grace + 10)
        process.kill_group(child)

    def restart(self, name: str) -> None:
        """A new child in place of the old one, which is ended first when it lives."""
        if name in self.children:
            self.kill(name)
        self.start(name)

    def output(self, name: str) -> str:
        """What the child has said so far, all its lives together."""
        return self._log(name).read_text(errors="replace")

    def stop(self) -> None:
        for program, child in self.children.values():
            if child.poll() is None:
                child.send_signal(program.stop_signal)
        for program, child in self.children.values():
            process.stop(child, program)
        self.children.clear()

    def _program(self, name: str) -> Program:
        log = self._log(name)
        log.unlink(missing_ok=True)
        if name == "web":
            return programs.web(self.env, self.port, log)
        if name == "beat":
            return programs.beat(self.env, self.data, log)
        return programs.worker({**self.env, "TURNSTONE_LOG_LEVEL": "INFO"}, KINDS[name], log)

    def _wait(self, name: str) -> None:
        program, child = self.children[name]
        if name == "web":
            process.wait_until(lambda: programs.answers(self.url), child, program)
        elif name in KINDS:
            process.wait_until(lambda: f"{name}@desk ready" in self.output(name), child, program)

    def _log(self, name: str) -> Path:
        return self.data / f"{name}.log"


@contextmanager
def running_stack(*names: str, env: Mapping[str, str] | None = None) -> Iterator[Stack]:
    """A stack with an empty broker; `env` adds to what the children inherit.

    Without names: web, every worker and beat.
    """
    empty_redis()
    with tempfile.TemporaryDirectory(prefix="desk-stack-") as folder:
        stack = Stack(Path(folder), env or {})
        try:
            stack.start(*(names or ("web", *KINDS, "beat")))
            yield stack
        finally:
            stack.stop()


def wait_for(condition, seconds: float = 20.0, what: str = ""):
    """The condition's first true value; fails the test when none comes in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError(f"after {seconds:g} s still not true: {what or condition}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
