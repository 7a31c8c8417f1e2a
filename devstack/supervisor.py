"""Keeps a set of children running, shows what they say, and ends them in order."""

import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from types import FrameType
from typing import IO

from devstack import process
from devstack.process import Program

LOOK_EVERY = 0.1
PAUSES = (1, 2, 4, 8, 15, 30)  # seconds before the nth restart in a row
SETTLED = 60.0  # a child that lived so long starts the row anew
COLOURS = {"web": 36, "turns": 32, "bulk": 35, "sweep": 33, "beat": 34}


@dataclass
class Child:
    """A program and its process of the moment; `due` is when to start it again."""

    program: Program
    process: subprocess.Popen[bytes]
    started: float
    failures: int = 0
    due: float | None = None


class Supervisor:
    """Start the children with `start()`, then `run()` until the end; `stop()` leaves no orphan."""

    def __init__(self) -> None:
        self.children: list[Child] = []
        self.signals = 0

    def listen(self) -> None:
        """From now on Ctrl-C, SIGTERM and a closed terminal end `run()`; a second one kills."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._heard)

    def start(self, program: Program) -> subprocess.Popen[bytes]:
        """Start a child and show its output, each line with its name."""
        child = Child(program, self._spawn(program), time.monotonic())
        self.children.append(child)
        return child.process

    def run(self) -> int:
        """Wait for a signal (0) or the end of an essential child (1), restarting the others."""
        while not self.signals:
            for child in self.children:
                if self._look_after(child):
                    return 1
            time.sleep(LOOK_EVERY)
        return 0

    def stop(self) -> None:
        """End beat and workers together, then web, Valkey and PostgreSQL, one after the other."""
        helpers = [child for child in self.children if not child.program.essential]
        pillars = [child for child in self.children if child.program.essential]
        for group in (helpers, *([child] for child in reversed(pillars))):
            self._end(group)

    def _end(self, group: list[Child]) -> None:
        """Ask them all, then wait for each; a second Ctrl-C ends the waiting."""
        asked = time.monotonic()
        for child in group:
            if child.process.poll() is None:
                child.process.send_signal(child.program.stop_signal)
        for child in group:
            deadline = asked + child.program.grace
            while child.process.poll() is None and time.monotonic() < deadline and self.signals < 2:
                time.sleep(0.02)
            process.kill_group(child.process)

    def _look_after(self, child: Child) -> bool:
        """Whether all must end, because this child has."""
        now = time.monotonic()
        if child.due is not None:
            if now >= child.due:
                child.process, child.started, child.due = self._spawn(child.program), now, None
            return False
        code = child.process.poll()
        if code is None:
            return False
        process.kill_group(child.process)  # what a killed worker had forked
        if child.program.essential:
            say("desk", f"{child.program.name} ended with code {code}: stopping everything")
            return True
        child.failures = 1 if now - child.started > SETTLED else child.failures + 1
        pause = PAUSES[min(child.failures, len(PAUSES)) - 1]
        child.due = now + pause
        say("desk", f"{child.program.name} ended with code {code}: starting it again in {pause} s")
        return False

    def _spawn(self, program: Program) -> subprocess.Popen[bytes]:
        if program.log:
            return process.spawn(program)
        child = process.spawn(program, subprocess.PIPE)
        assert child.stdout  # noqa: S101 - a pipe was asked for
        threading.Thread(target=_relay, args=(program.name, child.stdout), daemon=True).start()
        return child

    def _heard(self, _number: int, _frame: FrameType | None) -> None:
        self.signals += 1


def say(name: str, line: str) -> None:
    """One line on the screen; never fails, as a closed terminal must not keep us from stopping."""
    colour = COLOURS.get(name, 0) if sys.stdout.isatty() else 0
    prefix = f"\033[{colour}m{name:>6} |\033[0m" if colour else f"{name:>6} |"
    try:
        sys.stdout.write(f"{prefix} {line}\n")  # one write: several threads speak
        sys.stdout.flush()
    except (OSError, ValueError):
        return


def _relay(name: str, output: IO[bytes]) -> None:
    with output:
        for line in output:
            if text := line.decode(errors="replace").rstrip():
                say(name, text)
