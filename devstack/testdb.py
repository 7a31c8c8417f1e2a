"""A pristine, migrated test database in a moment: cloned from a template that is made once."""

import os
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from devstack import ROOT
from devstack.bootstrap import run_sql
from devstack.process import StackError

# Whatever shapes the tables: a change in any of these makes a new template.
SHAPING = (
    "*/migrations/**/*.py",
    "*/constraints.py",
    "*/scoping.py",
    "*/sql/**/*.sql",
    "config/settings*.py",
)
BUILDING = "desk_building"
TEMPLATES = "desk_template_"
RIGHTS = (
    "REVOKE ALL ON DATABASE {name} FROM PUBLIC",  # a clone does not inherit its template's rights
    "GRANT CONNECT ON DATABASE {name} TO desk_app, desk_backup",
)


def make_fresh(name: str) -> None:
    """`name` is a clone of the migrated template; what a former run left in it is gone."""
    with psycopg.connect(os.environ["SUPERUSER_DATABASE_URL"], autocommit=True) as connection:
        template = TEMPLATES + fingerprint()
        if not _exists(connection, template):
            _make_template(connection, template)
        _execute(connection, "DROP DATABASE IF EXISTS {name} WITH (FORCE)", name)
        clone = "CREATE DATABASE {name} OWNER desk_owner TEMPLATE {template} STRATEGY FILE_COPY"
        _execute(connection, clone, name, template)
        for statement in RIGHTS:
            _execute(connection, statement, name)


def fingerprint() -> str:
    """Changes with every file that shapes the tables, and with the locked packages."""
    seen = sha256()
    for path in _shaping_files():
        seen.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return seen.hexdigest()[:16]


def on_database(url: str, name: str) -> str:
    """The same server and role, another database."""
    return urlsplit(url)._replace(path=f"/{name}").geturl()


def _shaping_files() -> Iterator[Path]:
    yield ROOT / "requirements.lock"
    yield ROOT / "devstack" / "bootstrap.sql"
    for pattern in SHAPING:
        yield from sorted(
            path for path in ROOT.glob(pattern) if not path.parts[len(ROOT.parts)].startswith(".")
        )


def _make_template(connection: psycopg.Connection, template: str) -> None:
    _execute(connection, "DROP DATABASE IF EXISTS {name} WITH (FORCE)", BUILDING)
    run_sql(os.environ["SUPERUSER_DATABASE_URL"], BUILDING)
    _migrate(BUILDING)
    for (old,) in connection.execute(
        "SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [TEMPLATES]
    ).fetchall():
        _execute(connection, "DROP DATABASE {name} WITH (FORCE)", old)
    _execute(connection, "ALTER DATABASE {name} RENAME TO {template}", BUILDING, template)


def _migrate(database: str) -> None:
    owner = on_database(os.environ["OWNER_DATABASE_URL"], database)
    done = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity=0"],
        env={**os.environ, "TURNSTONE_DB_ROLE": "owner", "OWNER_DATABASE_URL": owner},
        cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise StackError(f"manage.py migrate failed for the test database:\n{done.stderr.strip()}")


def _exists(connection: psycopg.Connection, name: str) -> bool:
    return (
        connection.execute("SELECT FROM pg_database WHERE datname = %s", [name]).fetchone()
        is not None
    )


def _execute(connection: psycopg.Connection, statement: str, name: str, template: str = "") -> None:
    names = {"name": sql.Identifier(name), "template": sql.Identifier(template or name)}
    connection.execute(sql.SQL(statement).format(**names))
