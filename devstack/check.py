"""`./desk check`: every rule that needs no running service; all steps run, then the sum."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from devstack import ROOT, locks

BIN = Path(sys.executable).parent
SCHEMA = ROOT / "docs" / "openapi.yaml"
TEMPLATES = ROOT / "templates"
# Settings load without a server; migrations are compared with the models, not with a database.
DEVELOPMENT = {"DJANGO_SETTINGS_MODULE": "config.settings_test", "PYTHONWARNINGS": "ignore"}
PRODUCTION = {
    "DJANGO_SETTINGS_MODULE": "config.settings",
    "PYTHONWARNINGS": "ignore",
    "TURNSTONE_DEMO": "false",
    "TURNSTONE_DEBUG": "false",
    "TURNSTONE_ALLOWED_HOSTS": "desk.example.org",
    "TURNSTONE_SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz" * 2,
    "TURNSTONE_ENCRYPTION_KEYS": "A" * 43 + "=",
}

Step = Callable[[], str]  # what is wrong, empty when nothing is


@dataclass(frozen=True)
class Command:
    """A step that is wrong when its command fails; its output says why."""

    argv: Sequence[str]
    env: Mapping[str, str] | None = None

    def __call__(self) -> str:
        if not self.argv:
            return ""
        done = subprocess.run(
            self.argv, cwd=ROOT, env={**os.environ, **(self.env or {})}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        return (done.stdout.strip() or f"exit code {done.returncode}") if done.returncode else ""


def steps() -> dict[str, Step]:
    """Each rule by the name that the screen shows, the quick ones first."""
    return {
        "locks": lambda: "\n".join(locks.faults()),
        "ruff check": _tool("ruff", "check", "."),
        "ruff format": _tool("ruff", "format", "--check", "."),
        "imports": _tool("lint-imports"),
        "templates: form": _tool("djade", "--check", "--target-version", "5.2", *_templates()),
        "templates: sense": _tool("djlint", "--lint", "--quiet", str(TEMPLATES)),
        "styles built": _styles(),
        "migrations": _manage(DEVELOPMENT, "makemigrations", "--check", "--dry-run"),
        "deployment": _manage(PRODUCTION, "check", "--deploy", "--fail-level", "WARNING"),
        "API schema": _schema,
        "types": _tool("mypy", "."),
    }


def main() -> int:
    """Run every step; 1 when any of them is wrong."""
    wrong = [name for name, step in steps().items() if not _passes(name, step)]
    print(f"\n{'FAILED: ' + ', '.join(wrong) if wrong else 'All checks passed.'}")
    return int(bool(wrong))


def _passes(name: str, step: Step) -> bool:
    print(f"{name:<18}", end="", flush=True)
    began = time.monotonic()
    fault = step()
    print(f"{'FAILED' if fault else 'ok':<7}{time.monotonic() - began:5.1f} s", flush=True)
    if fault:
        print("    " + fault.replace("\n", "\n    "))
    return not fault


def _tool(name: str, *arguments: str) -> Command:
    return Command([str(BIN / name), *arguments])


def _manage(env: Mapping[str, str], *arguments: str) -> Command:
    return Command([sys.executable, "manage.py", *arguments], env)


def _templates() -> list[str]:
    return sorted(str(path.relative_to(ROOT)) for path in TEMPLATES.rglob("*.html"))


def _styles() -> Command:
    """Whether a rebuild of the committed style sheets would give the same files."""
    builder = ROOT / "devstack" / "css.py"
    return Command([sys.executable, "-m", "devstack.css", "--check"] if builder.exists() else [])


def _schema() -> str:
    """Whether the committed schema is what the code would give."""
    if not SCHEMA.exists():
        return ""
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / "openapi.yaml"
        fault = _manage(DEVELOPMENT, "spectacular", "--file", str(fresh))()
        if fault or fresh.read_text() == SCHEMA.read_text():
            return fault
    return "docs/openapi.yaml is old; run: ./desk manage spectacular --file docs/openapi.yaml"


if __name__ == "__main__":
    sys.exit(main())
