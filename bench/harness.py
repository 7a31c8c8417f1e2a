"""What stands around a benchmark: the machine, the write-ahead log, the command."""

import argparse
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path

import psycopg

from bench import cluster
from bench.measure import Size, Table


class WalWatch:
    """Around one turn: how much write-ahead log it makes. `taken` has the bytes of each."""

    def __init__(self) -> None:
        self.taken: list[int] = []
        self._connection = psycopg.connect(cluster.superuser_url(), autocommit=True)

    def __enter__(self) -> None:
        self._before = self._position()

    def __exit__(self, *_: object) -> None:
        self.taken.append(self._position() - self._before)

    def _position(self) -> int:
        asked = self._connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
        row = asked.fetchone()
        assert row is not None
        return int(row[0])


def machine() -> str:
    """What it ran on, and how busy that was."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    with psycopg.connect(cluster.superuser_url(), autocommit=True) as connection:
        server = connection.info.parameter_status("server_version")
        fsync = connection.execute("SHOW fsync").fetchone()
    assert fsync is not None
    return (
        f"{time.strftime('%Y-%m-%d %H:%M')} · {os.cpu_count()} cores ({_processor()})"
        f" · Python {platform.python_version()} · PostgreSQL {server}, fsync {fsync[0]}"
        f" · load average {load}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def main(description: str | None, run: Callable[[Size], list[Table]]) -> None:
    """The command of one benchmark."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="few rounds: is it all right at all?")
    options = parser.parse_args()
    before = machine()
    tables = run(Size.of(quick=options.quick))
    print(before, machine(), sep="\n", end="\n\n")
    for table in tables:
        print(table)
