"""The processes of the application: web, workers, beat. The same for the demo and for tests."""

import signal
import sys
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from devstack.process import Program

Environment = Mapping[str, str]


# Web and workers know one role; whoever reads their environment finds no stronger one.
NOT_FOR_THEM = {"OWNER_DATABASE_URL": "", "SUPERUSER_DATABASE_URL": ""}


@dataclass(frozen=True)
class Worker:
    """A Celery worker: its name, its queue, its pool, and how many tasks it runs at once."""

    queue: str
    pool: str
    size: int


# The sweep has its own worker, so that no number of long turns can starve it. Turns run in forked
# children: one that is stuck or poisoned is ended by the hard time limit and takes no other along.
WORKERS = (Worker("turns", "prefork", 4), Worker("bulk", "threads", 2), Worker("sweep", "solo", 1))


def web(env: Environment, port: int, log: Path | None = None) -> Program:
    """uvicorn; open streams get one second to end."""
    return Program(
        name="web",
        argv=[
            *(sys.executable, "-m", "uvicorn", "config.asgi:application"),
            *("--host", "127.0.0.1", "--port", str(port), "--lifespan", "off"),
            *("--timeout-graceful-shutdown", "1", "--log-level", "warning", "--no-access-log"),
        ],
        env={**env, **NOT_FOR_THEM, "TURNSTONE_PROCESS": "web"},
        grace=4,
        essential=True,
        log=log,
    )


def worker(env: Environment, kind: Worker, log: Path | None = None) -> Program:
    """A Celery worker; what it was doing when it ended, the sweep sends again."""
    return Program(
        name=kind.queue,
        argv=[
            *(sys.executable, "-m", "celery", "--quiet", "-A", "config", "worker"),
            *("--queues", kind.queue, "--hostname", f"{kind.queue}@desk", "--loglevel", "WARNING"),
            *("--without-gossip", "--without-mingle", "--pool", kind.pool),
            *("--concurrency", str(kind.size)),
        ],
        env={**env, **NOT_FOR_THEM, "TURNSTONE_PROCESS": "worker"},
        stop_signal=signal.SIGQUIT,  # SIGTERM would wait for a turn's model
        grace=3,
        log=log,
    )


def beat(env: Environment, data: Path, log: Path | None = None) -> Program:
    """Celery's clock, its schedule file in the data folder."""
    schedule = ("--schedule", str(data / "beat"), "--pidfile", "")
    return Program(
        name="beat",
        argv=[
            *(sys.executable, "-m", "celery", "--quiet", "-A", "config", "beat"),
            *(*schedule, "--loglevel", "WARNING"),
        ],
        env={**env, **NOT_FOR_THEM},
        grace=3,
        log=log,
    )


def answers(url: str) -> bool:
    """Whether the web process under this address is alive."""
    try:
        with urllib.request.urlopen(f"{url.rstrip('/')}/healthz", timeout=5) as answer:  # noqa: S310 - our own
            return bool(answer.status == 200)
    except OSError:  # URLError is one
        return False
