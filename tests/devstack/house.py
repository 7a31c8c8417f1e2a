"""Handles on supervisors, and a small one: `python -m tests.devstack.house DIR KIND`."""

import signal
import subprocess
import sys
import time
from pathlib import Path

from devstack import ROOT, lock
from devstack.process import Program
from devstack.services import Services, make_data_folder
from devstack.supervisor import Supervisor

PATIENCE = 15.0
# What stands in for web and workers; each carries the data folder's name in its arguments.
QUIET = "import time; time.sleep(600)"
SHORT = "raise SystemExit(3)"
STUBBORN = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork():
    print("forked", flush=True)
time.sleep(600)
"""
WEB = {"web-ends": SHORT}
WORKER = {"worker-ends": SHORT, "stubborn": STUBBORN}


class House:
    """Supervisors on one data folder, and what is left of them."""

    def __init__(self, data: Path, environment: dict[str, str]) -> None:
        self.data = data
        self.environment = environment
        self.started: list[subprocess.Popen[str]] = []

    def start(self, *module: str) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [sys.executable, "-m", *module],
            cwd=ROOT, env=self.environment, text=True, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self.started.append(child)
        return child

    def demo(self, *options: str) -> subprocess.Popen[str]:
        return self.start("devstack.demo", "--no-open", "--data", str(self.data), *options)

    def small(self, kind: str) -> subprocess.Popen[str]:
        return self.start("tests.devstack.house", str(self.data), kind)

    def left(self) -> list[int]:
        """The processes that name the data folder, without those that we hold."""
        own = {child.pid for child in self.started}
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                command = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if str(self.data).encode() in command and int(folder.name) not in own:
                found.append(int(folder.name))
        return found

    def gone_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while self.left() and time.monotonic() < deadline:
            time.sleep(0.05)
        return not self.left()

    def clear(self) -> None:
        for child in self.started:
            if child.poll() is None:
                child.send_signal(signal.SIGTERM)
            child.communicate(timeout=PATIENCE)


def read_until(child: subprocess.Popen[str], word: str) -> str:
    """The child's output up to the line with the word; fails when it ends before."""
    said = []
    assert child.stdout
    for line in child.stdout:
        said.append(line)
        if word in line:
            return "".join(said)
    raise AssertionError(f"never said {word!r}:\n{''.join(said)}")


def main(data: Path, kind: str) -> int:
    """Services with trivial children in place of web and workers; "…-ends" needs no services."""
    supervisor = Supervisor()
    supervisor.listen()
    descriptor = lock.take(make_data_folder(data), wait=PATIENCE)
    try:
        if not kind.endswith("-ends"):
            Services(data, lock_fd=descriptor).start(supervisor.start)
        supervisor.start(_program("web", WEB.get(kind, QUIET), essential=True))
        supervisor.start(_program("turns", WORKER.get(kind, QUIET)))
        print("up", flush=True)
        return supervisor.run()
    finally:
        supervisor.stop()


def _program(name: str, code: str, *, essential: bool = False) -> Program:
    return Program(name, [sys.executable, "-c", code, sys.argv[1]], grace=0.5, essential=essential)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
