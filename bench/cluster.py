"""A throw-away PostgreSQL and Valkey for one process of benchmarks, durable as in production."""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import django

from devstack import ROOT, environment, testdb
from devstack.process import StackError
from devstack.services import Services, make_data_folder, running

DATABASE = "desk_bench"
_OURS = ("OWNER_DATABASE_URL", "BACKUP_DATABASE_URL", "SUPERUSER_DATABASE_URL")
_lifetime = ExitStack()
_entered: list[Path] = []


def enter() -> Path:
    """Services, migrated database and Django stand when this returns the data folder.

    Call it before the first import of a model. It takes no notice of servers that the environment
    names: a benchmark writes a lot, and only on a cluster of its own. All ends with the process.
    """
    if _entered:
        return _entered[0]
    for name in ("DATABASE_URL", "REDIS_URL", "TURNSTONE_LIVE_REDIS_URL", *_OURS):
        os.environ.pop(name, None)
    atexit.register(_lifetime.close)
    data = make_data_folder(Path(tempfile.mkdtemp(prefix="desk-bench-")))
    _lifetime.callback(shutil.rmtree, data, ignore_errors=True)
    services = Services(data, durable=True, database=DATABASE)
    urls = _lifetime.enter_context(running(services))
    os.environ.update(environment.for_demo(data, urls))
    # The floors against abuse would stop a benchmark too.
    os.environ |= {"TURNSTONE_RATE_MESSAGES": "1000000", "TURNSTONE_RATE_SESSIONS": "1000000"}
    _migrate()
    django.setup()
    _entered.append(data)
    return data


def superuser_url() -> str:
    return testdb.on_database(os.environ["SUPERUSER_DATABASE_URL"], DATABASE)


def app_url() -> str:
    return os.environ["DATABASE_URL"]


def _migrate() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity=0"],
        env=environment.as_owner(os.environ),
        cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise StackError(f"manage.py migrate failed:\n{done.stderr.strip()}")
