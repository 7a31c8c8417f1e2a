"""Real processes on data folders of their own."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.devstack.house import House

OURS = ("DATABASE_URL", "OWNER_DATABASE_URL", "REDIS_URL", "TURNSTONE_DATA")


@pytest.fixture
def data() -> Iterator[Path]:
    """An empty folder that PostgreSQL's account can reach, which pytest's own are not for root."""
    folder = Path(tempfile.mkdtemp(prefix="desk-"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def environment() -> dict[str, str]:
    """What a person's shell has: no address of the session's services."""
    return {name: value for name, value in os.environ.items() if name not in OURS}


@pytest.fixture
def house(data, environment) -> Iterator[House]:
    """Starts supervisors on the folder; ends them if the test did not."""
    kept = House(data, environment)
    yield kept
    kept.clear()
