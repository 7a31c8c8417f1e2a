"""Counting queries, and looking past row security."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.test.utils import CaptureQueriesContext

# What opening and closing a scope costs, which no view can avoid.
_HOUSEKEEPING = ("SAVEPOINT", "RELEASE SAVEPOINT", "ROLLBACK TO SAVEPOINT", "SELECT set_config")


@contextmanager
def at_most(limit: int) -> Iterator[list[str]]:
    """The block sends no more than so many queries, savepoints and scopes not counted.

    On failure it prints them. Ask once with few rows and once with many: the same limit must do.
    """
    sent: list[str] = []
    with CaptureQueriesContext(connection) as captured:
        yield sent
    sent += [
        query["sql"]
        for query in captured.captured_queries
        if not query["sql"].startswith(_HOUSEKEEPING)
    ]
    assert len(sent) <= limit, f"{len(sent)} queries, at most {limit} wanted:\n" + "\n".join(sent)


def as_backup() -> str:
    """The address of the role that reads every tenant's rows and writes none."""
    return os.environ["BACKUP_DATABASE_URL"]
