"""`./desk manage`: Django's commands on the demo's services, whether the demo runs or not."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from devstack import ROOT, environment, lock
from devstack.demo import DEFAULT_DATA
from devstack.process import StackError
from devstack.services import Services, make_data_folder, running

# What only the role that owns the tables may do.
OWNERS_COMMANDS = (["migrate"], ["forget_audit"])
START_UP = 60.0  # seconds to wait for a demo that is just starting, or for another command


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; its exit code is ours."""
    try:
        data, command = _split(list(sys.argv[1:] if arguments is None else arguments))
        data = make_data_folder(data)
        environment.keep_private()
        return _run(data, command)
    except StackError as error:
        print(error, file=sys.stderr)
        return 1


def _run(data: Path, command: list[str]) -> int:
    deadline = time.monotonic() + START_UP
    while time.monotonic() < deadline:
        try:
            descriptor = lock.take(data)
        except lock.Busy as busy:
            if env := _demo_environment(busy.holder):
                return _django(env, command)
            time.sleep(0.1)
            continue
        try:
            lock.write(data, kind="command")
            with running(Services(data, lock_fd=descriptor)) as urls:
                return _django(environment.for_demo(data, urls), command)
        finally:
            os.close(descriptor)
    raise StackError(f"{data} is in use by another ./desk manage; try again when it has ended.")


def _demo_environment(holder: dict[str, object]) -> dict[str, str] | None:
    """The running demo's environment; none while it starts, stops, or is another command."""
    env = holder.get("env")
    return env if isinstance(env, dict) and lock.alive(holder) else None


def _django(env: Mapping[str, str], command: list[str]) -> int:
    owner = command[:1] in OWNERS_COMMANDS
    child = subprocess.Popen(
        [sys.executable, "manage.py", *command],
        env={**os.environ, **(environment.as_owner(env) if owner else env)},
        cwd=ROOT,
    )
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the command's; we stay to clean up
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    return child.wait()


def _split(arguments: list[str]) -> tuple[Path, list[str]]:
    """The data folder and the command; `--data DIR` is ours only before the command."""
    data = Path(os.environ.get("TURNSTONE_DATA") or DEFAULT_DATA)
    if arguments and arguments[0].startswith("--data="):
        data = Path(arguments.pop(0).removeprefix("--data="))
    elif arguments[:1] == ["--data"]:
        if len(arguments) < 2:
            raise StackError("--data needs a folder: ./desk manage --data DIR COMMAND …")
        data = Path(arguments[1])
        del arguments[:2]
    return data, arguments


if __name__ == "__main__":
    sys.exit(main())
