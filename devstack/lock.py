"""One supervisor per data folder."""

import fcntl
import json
import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from devstack.process import StackError


class Busy(StackError):
    """Another process holds the data folder; `holder` is what it wrote down about itself."""

    def __init__(self, holder: dict[str, Any]) -> None:
        where = holder.get("url") or f"process {holder.get('pid', 'unknown')}"
        super().__init__(f"already running on {where}")
        self.holder = holder


def take(data: Path, wait: float = 0) -> int:
    """Hold the folder until the returned descriptor is closed by all who have it.

    The servers inherit it: a killed supervisor's successor waits until they have ended, so that two
    of them never write the same files.
    """
    descriptor = os.open(data / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    began = time.monotonic()
    while not _locked(descriptor):
        holder, waited = read(data), time.monotonic() - began
        if waited >= wait or alive(holder):
            os.close(descriptor)
            raise Busy(holder)
        if waited > wait / 2:
            _end_orphans(holder)
        time.sleep(0.05)
    return descriptor


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _end_orphans(holder: dict[str, Any]) -> None:
    """Where the kernel did not tell the children that their supervisor is dead (macOS), we do."""
    for child in holder.get("children", []):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(int(child), signal.SIGINT)


def write(data: Path, **about: Any) -> None:
    """Tell others who holds the folder and how to reach its services."""
    path = data / "running.json"
    fresh = path.with_suffix(".new")
    fresh.touch(mode=0o600)
    fresh.write_text(json.dumps({"pid": os.getpid(), **about}))
    fresh.rename(path)


def read(data: Path) -> dict[str, Any]:
    """What the last holder wrote; empty when it wrote nothing yet."""
    try:
        found = json.loads((data / "running.json").read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def alive(holder: dict[str, Any]) -> bool:
    """Whether the process that wrote it still runs."""
    try:
        os.kill(int(holder["pid"]), 0)
    except (KeyError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True
