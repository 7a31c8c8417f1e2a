"""An own PostgreSQL: the wheel's programs as a child, on a private socket.

The wheel's Python layer is not used: it adds system users, opens every parent directory, and takes
a dead server for a living one.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

import psycopg

from devstack import binaries
from devstack.process import Program, StackError

SERVANT = "nobody"  # PostgreSQL refuses to run as root; this account exists everywhere
LONGEST_SOCKET_PATH = 80  # the kernel's limit is 107 with the file's name
INITDB = (
    *("-U", "postgres", "-E", "UTF8", "--auth=trust", "--no-sync", "--no-instructions"),
    *("--locale-provider=builtin", "--locale=C.UTF-8"),
)
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "timezone": "UTC",
    "log_line_prefix": "%m ",
    # Error lines would else repeat what customers wrote, long after it was erased.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "log_parameter_max_length_on_error": "0",
}
THROWAWAY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@dataclass
class Postgres:
    """A cluster below `data` and its server; start with `program()`, then wait for `is_ready()`."""

    data: Path
    durable: bool = True
    lock_fd: int | None = None

    def __post_init__(self) -> None:
        self.user = SERVANT if os.geteuid() == 0 else None
        here = binaries.may_pass(self.user, self.data)
        self.home = self.data if here else binaries.system_folder(digest(self.data))
        self.cluster = self.home / "postgres"
        self.bin = binaries.for_account(self.user)
        self.socket_dir = self._socket_dir()

    def url(self, role: str, database: str) -> str:
        """The address for libpq and for Django alike."""
        return f"postgresql://{role}@/{database}?host={quote(str(self.socket_dir))}"

    def program(self) -> Program:
        """The server, ready to spawn; makes the cluster at the first call."""
        self._make_cluster()
        self._stop_orphan()
        settings = SETTINGS | ({} if self.durable else THROWAWAY)
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return Program(
            name="postgres",
            argv=[
                str(self.bin / "postgres"),
                "-D",
                str(self.cluster),
                "-k",
                str(self.socket_dir),
                *options,
            ],
            stop_signal=signal.SIGINT,  # "fast": SIGTERM would wait for every client to leave
            death_signal=signal.SIGINT,
            grace=20,
            essential=True,
            user=self.user,
            log=self.data / "log" / "postgres.log",
            pass_fds=() if self.lock_fd is None else (self.lock_fd,),
        )

    def is_ready(self) -> bool:
        try:
            psycopg.connect(self.url("postgres", "postgres"), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def forget(self) -> None:
        """Remove the socket directory when it lies outside the data folder."""
        if self.socket_dir.parent != self.home:
            shutil.rmtree(self.socket_dir, ignore_errors=True)

    def _run(self, name: str, *arguments: str, check: bool = True) -> None:
        """Run one of PostgreSQL's own programs as the account that owns the cluster."""
        done = subprocess.run(
            [self.bin / name, *arguments],
            **binaries.identity(self.user),
            cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if check and done.returncode:
            raise StackError(f"{name} failed:\n{done.stderr.strip() or done.stdout.strip()}")

    def _make_cluster(self) -> None:
        if (self.cluster / "PG_VERSION").exists():
            return self._check_version()
        self._own_directory(self.cluster)
        try:
            self._run("initdb", "-D", str(self.cluster), *INITDB)
        except StackError:
            shutil.rmtree(
                self.cluster, ignore_errors=True
            )  # a half-made one would be taken for whole
            raise

    def _check_version(self) -> None:
        written = (self.cluster / "PG_VERSION").read_text().strip()
        found = subprocess.run(
            [self.bin / "postgres", "-V"], capture_output=True, text=True, check=True
        ).stdout
        if found.split()[-1].split(".")[0] != written:
            raise StackError(
                f"{self.cluster} was made by PostgreSQL {written}, this is {found.strip()}. "
                f"Delete the folder {self.home} to begin anew, or name another with --data."
            )

    def _stop_orphan(self) -> None:
        """End a server whose supervisor was killed; only on Linux has the kernel told it."""
        if (self.cluster / "postmaster.pid").exists():
            self._run(
                "pg_ctl", "stop", "-D", str(self.cluster), "-m", "fast", "-t", "20", check=False
            )

    def _socket_dir(self) -> Path:
        path = self.home / "socket"
        if len(str(path)) > LONGEST_SOCKET_PATH:
            path = Path(tempfile.mkdtemp(prefix="desk-"))
        self._own_directory(path)
        return path

    def _own_directory(self, path: Path) -> None:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.chmod(0o700)
        if self.user:
            account = pwd.getpwnam(self.user)
            os.chown(path, account.pw_uid, account.pw_gid)


def digest(path: Path) -> str:
    return sha256(str(path.resolve()).encode()).hexdigest()[:12]
