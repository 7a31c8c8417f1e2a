"""Children that do not outlive their parent, whatever ends it."""

import ctypes
import os
import pwd
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from devstack import ROOT

PR_SET_PDEATHSIG = 1
# Loaded before any fork: between fork and exec only one plain call may happen.
LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


class StackError(Exception):
    """Something the person at the terminal can act on; its text is shown without a traceback."""


@dataclass(frozen=True)
class Program:
    """One long-running child: what to run, how to stop it, and whether all depends on it."""

    name: str
    argv: list[str]
    env: Mapping[str, str] = field(default_factory=dict)
    stop_signal: signal.Signals = signal.SIGTERM
    death_signal: signal.Signals = signal.SIGKILL
    grace: float = 5.0
    essential: bool = False
    user: str | None = None
    log: Path | None = None
    pass_fds: tuple[int, ...] = ()


def spawn(program: Program, output: int | IO[bytes] | None = None) -> subprocess.Popen[bytes]:
    """Start it in its own process group; call from the main thread only.

    The kernel sends the death signal when the *thread* that forked ends, so a helper thread
    would take its children along.
    """
    if program.log:
        program.log.parent.mkdir(parents=True, exist_ok=True)
        with program.log.open("ab") as log:
            return _popen(program, log)
    return _popen(program, output)


def _popen(program: Program, output: int | IO[bytes] | None) -> subprocess.Popen[bytes]:
    account = pwd.getpwnam(program.user) if program.user else None
    return subprocess.Popen(
        program.argv,
        env={**os.environ, **program.env},
        cwd="/" if account else ROOT,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
        start_new_session=True,  # Ctrl-C reaches the parent alone, which stops in order
        pass_fds=program.pass_fds,
        user=account.pw_uid if account else None,
        group=account.pw_gid if account else None,
        extra_groups=[] if account else None,
        preexec_fn=die_with_parent(program.death_signal),  # noqa: PLW1509 - one libc call, no lock taken
    )


def die_with_parent(death_signal: signal.Signals) -> Callable[[], None] | None:
    """What a child runs before exec, so that even `kill -9` of its parent ends it (Linux)."""
    libc, parent = LIBC, os.getpid()
    if libc is None:
        return None

    def ask_the_kernel() -> None:
        libc.prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
        if os.getppid() != parent:  # it died between fork and prctl: nobody would tell us any more
            os._exit(1)

    return ask_the_kernel


def stop(child: subprocess.Popen[bytes], program: Program) -> None:
    """Ask, wait for its grace, then kill the whole group; returns when it is gone."""
    if child.poll() is None:
        child.send_signal(program.stop_signal)
        with suppress(subprocess.TimeoutExpired):
            child.wait(program.grace)
    kill_group(child)


def kill_group(child: subprocess.Popen[bytes]) -> None:
    """Kill it and what it forked; quiet when nothing is left."""
    with suppress(ProcessLookupError, PermissionError):  # macOS answers the second for a zombie
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def wait_until(
    ready: Callable[[], bool], child: subprocess.Popen[bytes], program: Program, seconds: float = 60
) -> None:
    """Poll until ready; a child that ends or takes too long is an error with its last words."""
    deadline = time.monotonic() + seconds
    while not ready():
        if child.poll() is not None:
            raise StackError(
                f"{program.name} ended with code {child.returncode}.{_last_words(program)}"
            )
        if time.monotonic() > deadline:
            raise StackError(
                f"{program.name} was not ready after {seconds:.0f} s.{_last_words(program)}"
            )
        time.sleep(0.01)


def _last_words(program: Program) -> str:
    if not program.log or not program.log.exists():
        return ""
    lines = program.log.read_text(errors="replace").splitlines()[-8:]
    return "\n  " + "\n  ".join([*lines, f"(more in {program.log})"])
