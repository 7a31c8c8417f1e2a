"""The services of a data folder: started unless the environment names some of that kind."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from devstack import process
from devstack.bootstrap import bootstrap
from devstack.postgres import Postgres
from devstack.process import Program, StackError
from devstack.valkey import Valkey

Starter = Callable[[Program], subprocess.Popen[bytes]]
ROLES = {
    "DATABASE_URL": "desk_app",
    "OWNER_DATABASE_URL": "desk_owner",
    "BACKUP_DATABASE_URL": "desk_backup",
    "SUPERUSER_DATABASE_URL": "postgres",
}


def make_data_folder(data: Path) -> Path:
    """The folder, made when missing; closed to others, but root's servant may pass."""
    data = data.expanduser().resolve()
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.geteuid() == 0:
            data.chmod(0o711)
    except OSError as error:
        raise StackError(
            f"Cannot use {data} as data folder: {error.strerror}. Name another with --data."
        ) from error
    return data


class Services:
    """PostgreSQL and Valkey of one data folder, and the addresses under which to reach them."""

    def __init__(
        self,
        data: Path,
        *,
        durable: bool = True,
        database: str = "desk",
        lock_fd: int | None = None,
    ):
        self.database = database
        self.postgres = (
            None if _given("DATABASE_URL") else Postgres(data, durable=durable, lock_fd=lock_fd)
        )
        self.valkey = (
            None if _given("REDIS_URL") else Valkey(data, durable=durable, lock_fd=lock_fd)
        )
        if self.postgres is None and not _given("OWNER_DATABASE_URL"):
            raise StackError(
                "DATABASE_URL is set, so OWNER_DATABASE_URL must name the role that migrates."
            )

    @property
    def urls(self) -> dict[str, str]:
        """The addresses of our own servers; what the environment names is left as it is."""
        urls: dict[str, str] = {}
        if self.postgres:
            urls |= {name: self.postgres.url(role, self.database) for name, role in ROLES.items()}
            urls["SUPERUSER_DATABASE_URL"] = self.postgres.url("postgres", "postgres")
        if self.valkey:
            urls["REDIS_URL"] = self.valkey.url
        return urls

    def start(self, start: Starter) -> None:
        """Start both at once, wait for both; then roles and database stand too."""
        servers = [server for server in (self.postgres, self.valkey) if server]
        started = [
            (server, program, start(program))
            for server in servers
            for program in [server.program()]
        ]
        for server, program, child in started:
            process.wait_until(server.is_ready, child, program)
        if self.postgres:
            bootstrap(
                self.postgres.cluster.parent, self.urls["SUPERUSER_DATABASE_URL"], self.database
            )

    def forget(self) -> None:
        """Remove what lies outside the data folder."""
        for server in (self.postgres, self.valkey):
            if server:
                server.forget()


@contextmanager
def running(services: Services) -> Iterator[Mapping[str, str]]:
    """Keep the services up for the length of the block."""
    started: list[tuple[Program, subprocess.Popen[bytes]]] = []

    def start(program: Program) -> subprocess.Popen[bytes]:
        started.append((program, process.spawn(program)))
        return started[-1][1]

    try:
        services.start(start)
        yield services.urls
    finally:
        for program, child in reversed(started):
            process.stop(child, program)
        services.forget()


def _given(name: str) -> bool:
    return bool(os.environ.get(name))
