"""The real processes on the benchmark's cluster, and a customer who speaks HTTP to them."""

import asyncio
import json
import os
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg

from bench import cluster
from devstack import process, programs
from devstack.process import Program

_BY_QUEUE = {kind.queue: kind for kind in programs.WORKERS}


@dataclass(frozen=True)
class Web:
    """Where the web process listens, and its number."""

    port: int
    pid: int

    def resident_bytes(self) -> int:
        """Linux only: what of its memory is in use."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def running(data: Path, *names: str) -> Iterator[Web]:
    """These of "web", "turns", "bulk", "sweep", "beat" are up; web and workers are ready."""
    port = _free_port()
    started: list[tuple[Program, subprocess.Popen[bytes]]] = []
    try:
        for name in names:
            program = _program(name, data, port)
            started.append((program, process.spawn(program)))
        for program, child in started:
            _wait(program, child, port)
        yield Web(port, next((c.pid for p, c in started if p.name == "web"), 0))
    finally:
        for program, child in reversed(started):
            process.stop(child, program)


def _program(name: str, data: Path, port: int) -> Program:
    log = data / f"{name}.log"
    log.unlink(missing_ok=True)
    if name == "web":
        return programs.web({}, port, log)
    if name == "beat":
        return programs.beat({}, data, log)
    program = programs.worker({"TURNSTONE_LOG_LEVEL": "INFO"}, _BY_QUEUE[name], log)
    return replace(program, argv=[*program.argv, "--include", "bench.probe"])


def _wait(program: Program, child: subprocess.Popen[bytes], port: int) -> None:
    log = program.log
    if program.name == "web":
        url = f"http://127.0.0.1:{port}"
        process.wait_until(lambda: programs.answers(url), child, program)
    elif program.name in _BY_QUEUE and log is not None:
        said = f"{program.name}@desk ready"
        process.wait_until(
            lambda: said in log.read_text(errors="replace") if log.exists() else False,
            child, program,
        )  # fmt: skip


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Visitor:
    """A customer with a session; speaks HTTP/1.1 over plain sockets, without a library's cost."""

    port: int
    token: str

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        data = json.dumps(body).encode()
        head = f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n"
        reader, writer = await self._send("POST", path, head, data)
        answer = await reader.read()
        writer.close()
        head_bytes, _, payload = answer.partition(b"\r\n\r\n")
        if b" 20" not in head_bytes.split(b"\r\n", 1)[0]:
            raise RuntimeError(answer.decode(errors="replace"))
        found: dict[str, Any] = json.loads(payload)
        return found

    async def stream(self, conversation_id: UUID | str) -> "Stream":
        path = f"/widget/v1/conversations/{conversation_id}/stream"
        reader, writer = await self._send("GET", path, "", b"", "keep-alive")
        status = await reader.readline()
        if b" 200 " not in status:
            raise RuntimeError((status + await reader.read(2000)).decode(errors="replace"))
        return Stream(reader, writer)

    async def _send(
        self, method: str, path: str, head: str, data: bytes, connection: str = "close"
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=8192)
        writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"Authorization: Bearer {self.token}\r\nConnection: {connection}\r\n{head}\r\n".encode()
            + data
        )
        return reader, writer


@dataclass
class Stream:
    """An open stream of events."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def events(self) -> AsyncIterator[str]:
        """The name of each event as its line arrives."""
        while line := await self.reader.readline():
            if line.startswith(b"event: "):
                yield line[7:].decode().strip()

    async def until(self, event: str) -> None:
        async for name in self.events():
            if name == event:
                return
        raise RuntimeError(f"The stream ended before any {event}.")

    def close(self) -> None:
        self.writer.close()


def database_seconds(sql: str, values: list[Any]) -> float:
    """One moment of the database's clock, as seconds since the epoch."""
    with psycopg.connect(cluster.superuser_url(), autocommit=True) as connection:
        row = connection.execute(f"SELECT extract(epoch FROM ({sql}))::float8", values).fetchone()
    assert row is not None
    return float(row[0])
