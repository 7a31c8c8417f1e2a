"""Servers that we did not write, each in a virtual environment of its own below var/peers."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.request
import venv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from devstack import ROOT, process
from devstack.process import Program

HOME = ROOT / "var" / "peers"
HERE = Path(__file__).parent


def environment(name: str, *groups: Sequence[str]) -> Path:
    """The Python of the peer's environment; each group of requirements is installed in turn.

    Made at the first call, from whatever package index this machine uses, and kept.
    """
    home, wanted = HOME / name, sha256(repr(groups).encode()).hexdigest()
    python, marker = home / "bin" / "python", home / "made-from"
    if not (marker.exists() and marker.read_text() == wanted):
        print(f"making {home.relative_to(ROOT)} (once) …", file=sys.stderr, flush=True)
        uv = shutil.which("uv")
        venv.create(home, with_pip=not uv, clear=True)
        by_pip = [str(python), "-m", "pip", "install", "-q"]
        install = [uv, "pip", "install", "-q", "--python", str(python)] if uv else by_pip
        for group in groups:
            subprocess.run([*install, *group], check=True)
        marker.write_text(wanted)
    return python


@contextmanager
def serving(
    name: str, argv: Sequence[object], *, env: Mapping[str, str], ready: str, seconds: float = 60
) -> Iterator[None]:
    """The peer as a child of ours, once it answers under `ready`, until the block ends."""
    with tempfile.TemporaryDirectory(prefix=f"desk-peer-{name}-") as folder:
        # Without the addresses of our services: it would use a database that it finds there.
        hidden = [part for name in _addresses() for part in ("-u", name)]
        program = Program(
            name=name,
            argv=["env", *hidden, *map(str, argv)],
            env={"HOME": folder, **env},
            grace=3,
            log=Path(folder) / "log",
        )
        child = process.spawn(program)
        try:
            process.wait_until(lambda: _answers(ready), child, program, seconds)
            yield
        finally:
            process.stop(child, program)


def _addresses() -> list[str]:
    return [name for name in os.environ if name.endswith("_URL")]


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:  # URLError is one
        return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
