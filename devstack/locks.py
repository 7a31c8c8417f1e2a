"""The two locks: compiled by uv, hashed, without any index's address. Standard library only."""

import hashlib
import json
import shutil
import subprocess
import sys
import tomllib

from devstack import ROOT

RUNTIME = ROOT / "requirements.lock"
DEVELOPMENT = ROOT / "requirements-test.lock"
OPTIONS = ("--universal", "--python-version", "3.11", "--generate-hashes")
QUIET = ("-q", "--no-emit-index-url", "--no-header", "--no-annotate")
STAMP = "# made from the dependencies with digest "


def main() -> None:
    """Compile both anew."""
    uv = shutil.which("uv")
    if not uv:
        sys.exit("uv is needed to compile the locks (pip install uv).")
    for lock, extra in ((RUNTIME, ()), (DEVELOPMENT, ("--group", "dev"))):
        command = [
            uv,
            "pip",
            "compile",
            *QUIET,
            *OPTIONS,
            *extra,
            "pyproject.toml",
            "-o",
            lock.name,
        ]
        subprocess.run(command, cwd=ROOT, check=True)
        lock.write_text(f"{STAMP}{wanted_digest()}\n{lock.read_text()}")


def faults() -> list[str]:
    """What is wrong with the committed locks; needs no network."""
    found = []
    for lock in (RUNTIME, DEVELOPMENT):
        text = lock.read_text()
        if "://" in text:
            found.append(f"{lock.name} holds an address; compile it with ./desk lock")
        if not text.startswith(f"{STAMP}{wanted_digest()}\n"):
            found.append(
                f"{lock.name} is older than pyproject.toml's dependencies; run ./desk lock"
            )
    return found


def wanted_digest() -> str:
    """Of the dependencies alone: a linter's setting does not make a lock old."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [
        project["project"]["requires-python"],
        project["project"]["dependencies"],
        project["dependency-groups"],
    ]
    return hashlib.sha256(json.dumps(wanted).encode()).hexdigest()


if __name__ == "__main__":
    main()
