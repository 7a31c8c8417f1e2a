"""pytest plugin: real PostgreSQL and Valkey for the session, up before Django reads its settings.

The cluster is kept in var/test, so a later session starts in a moment; while another session uses
it, this one takes a throw-away cluster. The services end with the session, and with its death.
"""

import os
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from devstack import ROOT, lock
from devstack.process import StackError
from devstack.services import Services, make_data_folder, running

DATABASE = "desk_test"
LIFETIME = ExitStack()


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    if not {"--help", "-h", "--version", "-V"}.isdisjoint(early_config.invocation_params.args):
        return
    try:
        _start()
    except StackError as error:
        LIFETIME.close()
        raise pytest.UsageError(str(error)) from error


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    LIFETIME.close()


def pytest_report_header() -> str:
    return f"services: {os.environ['DATABASE_URL']} {os.environ['REDIS_URL']}"


def _start() -> None:
    data, descriptor = _data_folder()
    services = Services(data, durable=False, database=DATABASE, lock_fd=descriptor)
    if services.postgres is None and "SUPERUSER_DATABASE_URL" not in os.environ:
        raise StackError(
            "Tests on a server of your own also need SUPERUSER_DATABASE_URL: they make databases."
        )
    os.environ.update(LIFETIME.enter_context(running(services)))
    os.environ["TURNSTONE_TEST_DATA"] = str(data)


def _data_folder() -> tuple[Path, int]:
    kept = make_data_folder(ROOT / "var" / "test")
    try:
        descriptor = lock.take(kept)
    except lock.Busy:
        kept = Path(tempfile.mkdtemp(prefix="desk-test-"))
        LIFETIME.callback(shutil.rmtree, kept, ignore_errors=True)
        descriptor = lock.take(make_data_folder(kept))
    LIFETIME.callback(os.close, descriptor)
    return kept, descriptor
