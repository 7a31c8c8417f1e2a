"""The test database: migrated as desk_owner, used as desk_app, emptied by the superuser."""

import os
from collections.abc import Callable, Iterator

import psycopg
import pytest
from django.db import connection
from django.test import TransactionTestCase
from psycopg import sql
from pytest_django import DjangoDbBlocker

from devstack import testdb
from devstack.pytest_services import DATABASE


@pytest.fixture(scope="session")
def django_db_setup(django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Replaces pytest-django's: a clone of the migrated template, which tests use as desk_app.

    Import it in the top conftest.py (a plugin's fixture loses to pytest-django's). The database is
    not dropped at the end: async tests leave connections that a drop would wait for.
    """
    testdb.make_fresh(DATABASE)
    empty = emptying(tables_filled_by_migrations())
    with pytest.MonkeyPatch.context() as patch:
        # Django would flush over the connection of the tests, and desk_app may not TRUNCATE.
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _test: empty())
        yield
    with django_db_blocker.unblock():
        connection.close()


def tables_filled_by_migrations() -> set[str]:
    """The tables that hold rows in the pristine database; they are kept by the flush."""
    with psycopg.connect(os.environ["BACKUP_DATABASE_URL"]) as backup:
        return _filled(backup)


def emptying(kept: set[str]) -> Callable[[], None]:
    """A flush: every table but the kept ones is empty afterwards, committed, past row security.

    Deletes by the superuser with triggers and keys switched off: a TRUNCATE would make hundreds of
    new files for tables that hold three rows, and takes ten times as long.
    """
    superuser = testdb.on_database(os.environ["SUPERUSER_DATABASE_URL"], DATABASE)

    def empty() -> None:
        with psycopg.connect(superuser) as connection:
            # A connection that a test forgot is an error, not a hang.
            connection.execute("SET LOCAL lock_timeout = '10s'")
            connection.execute("SET LOCAL session_replication_role = replica")
            for name in sorted(_filled(connection) - kept):
                connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(name)))

    return empty


def _filled(reader: psycopg.Connection) -> set[str]:
    tables = reader.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    ).fetchall()
    if not tables:
        return set()
    probe = sql.SQL("SELECT {} WHERE EXISTS (SELECT FROM {})")
    probes = [probe.format(sql.Literal(name), sql.Identifier("public", name)) for (name,) in tables]
    return {name for (name,) in reader.execute(sql.SQL(" UNION ALL ").join(probes)).fetchall()}
