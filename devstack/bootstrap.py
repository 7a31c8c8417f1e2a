"""Run bootstrap.sql on an own cluster; on a server of somebody else's its operator does."""

import subprocess
from hashlib import sha256
from pathlib import Path

from devstack.binaries import programs_folder
from devstack.process import StackError

SQL = Path(__file__).with_name("bootstrap.sql")


def bootstrap(home: Path, superuser_url: str, database: str) -> None:
    """Roles, database and extensions stand; quick when `home` notes that this file was run."""
    marker = home / f"bootstrapped-{database}"
    version = sha256(SQL.read_bytes()).hexdigest()
    if marker.exists() and marker.read_text() == version:
        return
    run_sql(superuser_url, database)
    marker.write_text(version)


def run_sql(superuser_url: str, database: str) -> None:
    """Run the file whether or not it was run before."""
    options = ("-X", "-q", "-v", "ON_ERROR_STOP=1", "-v", f"database={database}", "-f", str(SQL))
    done = subprocess.run(
        [programs_folder() / "psql", *options, superuser_url],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise StackError(f"bootstrap.sql failed:\n{done.stderr.strip()}")
