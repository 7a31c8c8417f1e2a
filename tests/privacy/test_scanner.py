"""The scanner finds a word in every store and in every spelling, and says when it is blind."""

import json
import zipfile
from base64 import b64encode
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus
from uuid import uuid4

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from conversations.models import Customer, Message
from conversations.privacy import contents
from conversations.privacy.scanner import scan
from tests.privacy.erasing import superuser_url
from tests.support.console import start
from tests.support.files import attach
from tests.support.redis import connect

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def word():
    return f'Canäry {uuid4().hex[:12]} "X"'


def test_a_clean_desk_is_clean_and_every_store_was_read(cast, word):
    report = scan([word])

    assert report.blind == []
    assert report.hits == 0
    assert {"tables", "pg_stats", "large objects", "redis", "files"} <= {
        store.name for store in report.stores
    }


SPELLINGS: dict[str, Callable[[str], str]] = {
    "raw": lambda word: word,
    "small": str.lower,
    "in an address": quote_plus,
    "in JSON": lambda word: json.dumps({"x": word}),
    "in base64": lambda word: b64encode(f"?{word}!".encode()).decode(),
    "in base64, one further": lambda word: b64encode(f"??{word}!".encode()).decode(),
    "in hex": lambda word: f"...{word}...".encode().hex(),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_is_found_in_a_table(cast, word, spelling):
    with cast.acme.scope():
        Customer.objects.create(name=SPELLINGS[spelling](word)[:200])

    report = scan([word])

    assert _where(report) == {"tables": {"conversations_customer": 1}}


BYTES: dict[str, Callable[[str], bytes]] = {
    "UTF-8": str.encode,
    "capitals": lambda word: word.upper().encode(),
    "in JSON": lambda word: json.dumps([word]).encode(),
    "UTF-16": lambda word: b"?" + word.encode("utf-16"),
    "UTF-16, the other order": lambda word: word.upper().encode("utf-16-be"),
    "across two pieces": lambda word: b"x" * (1024 * 1024 - 8) + word.encode(),
    "far inside": lambda word: b"\0" * 2_600_000 + word.encode() + b"\xff" * 1_100_000,
}


@pytest.mark.parametrize("form", BYTES)
def test_every_form_is_found_inside_a_file_and_its_small_picture(cast, talk, word, form):
    raw = BYTES[form](word)
    with cast.acme.scope():
        attach(talk, content=raw, preview=b"picture")
        attach(talk, content=b"file", preview=raw)
        attach(talk, content=b"another")

    assert _where(scan([word])) == {"contents": {"conversations_attachmentbody": 2}}
    assert _where(scan([word.encode().hex()])) == {}


def test_the_name_of_a_file_is_found_beside_its_bytes(cast, talk, word):
    plain = word.replace('"', "")
    with cast.acme.scope():
        attach(talk, name=f"{plain}.txt", content=plain.encode())

    assert _where(scan([plain])) == {
        "tables": {"conversations_attachment": 1},
        "contents": {"conversations_attachmentbody": 1},
    }


def test_bytes_that_are_read_in_pieces_only_are_no_proof(cast, talk, word, monkeypatch):
    """A reading that leaves something out is blind, and does not say that all is clean."""
    monkeypatch.setattr(contents, "_PIECE", 16)
    monkeypatch.setattr(contents, "_MORE", "SELECT NULL::bytea WHERE %s = 0 OR %s = ''")
    with cast.acme.scope():
        attach(talk, content=bytes(range(200)))

    assert scan([word]).blind == ["contents"]


REDIS: dict[str, Callable[..., Any]] = {
    "a key": lambda redis, word: redis.set(f"x:{word}", 1),
    "a string": lambda redis, word: redis.set("x:1", word),
    "a list": lambda redis, word: redis.rpush("x:2", *["y"] * 600, word),
    "a hash's field": lambda redis, word: redis.hset("x:3", word, "y"),
    "a hash's value": lambda redis, word: redis.hset("x:4", "y", word),
    "a set": lambda redis, word: redis.sadd("x:5", word),
    "a sorted set": lambda redis, word: redis.zadd("x:6", {word: 1}),
    "a stream": lambda redis, word: [redis.xadd("x:7", {"y": text}) for text in ("z", word)],
    "a body of the broker": lambda redis, word: redis.lpush(
        "x:8", json.dumps({"body": b64encode(json.dumps([word]).encode()).decode()})
    ),
}


@pytest.mark.parametrize("kind", REDIS)
def test_every_type_of_redis_is_read(cast, word, kind):
    with connect() as redis:
        redis.flushall()
        REDIS[kind](redis, word)
        try:
            assert _where(scan([word])) == {"redis": {"db0:x": 1}}
        finally:
            redis.flushall()


def test_another_database_of_redis_is_read(cast, word):
    with connect() as redis:
        redis.execute_command("SELECT", 5)
        redis.set("x:1", word)
        try:
            assert _where(scan([word])) == {"redis": {"db5:x": 1}}
        finally:
            redis.delete("x:1")
            redis.execute_command("SELECT", 0)


def test_files_and_zip_files_are_read(cast, word):
    folder = Path(settings.DATA_FOLDER) / "exports"
    folder.mkdir(exist_ok=True)
    (folder / "a.log").write_text("x" * (1024 * 1024 - 8) + word)
    with zipfile.ZipFile(folder / "b.zip", "w") as archive:
        archive.writestr("inside.txt", word)
    try:
        assert _where(scan([word])) == {"files": {"exports/a.log": 1, "exports/b.zip": 1}}
    finally:
        for path in folder.iterdir():
            path.unlink()


def test_statistics_and_large_objects_are_read(cast, word):
    plain = word.replace('"', "")
    with psycopg.connect(superuser_url(), autocommit=True) as superuser:
        superuser.execute("CREATE TABLE leak (x text)")
        superuser.execute("INSERT INTO leak SELECT %s FROM generate_series(1, 40)", [plain])
        superuser.execute("ANALYZE leak")
        superuser.execute("DELETE FROM leak")
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT lo_from_bytea(0, %s)", [plain.encode()])
                number = cursor.fetchone()[0]
            found = _where(scan([plain]))
        finally:
            superuser.execute("DROP TABLE leak")
            superuser.execute("SELECT lo_unlink(%s)", [number])
    assert found == {"pg_stats": {"leak": 1}, "large objects": {"pg_largeobject": 1}}


def test_no_column_of_peoples_words_leaves_statistics(cast, word):
    """Of every table: what ANALYZE keeps of a person outlives the row."""
    with cast.acme.scope():
        for _ in range(30):
            customer = Customer.objects.create(name=word, email=word, attributes={"x": word})
            Message.objects.filter(conversation=start(customer, word)).update(
                parts=[{"x": word}], sources=[{"x": word}], author_name=word
            )
    with psycopg.connect(superuser_url(), autocommit=True) as superuser:
        superuser.execute("ANALYZE")

    assert "pg_stats" not in _where(scan([word]))


def test_a_role_that_row_security_binds_is_blind(cast, settings, word):
    settings.BACKUP_DATABASE_URL = settings.BACKUP_DATABASE_URL.replace("desk_backup", "desk_app")
    with pytest.raises(psycopg.errors.UndefinedObject):
        scan([word])


def test_the_command_prints_and_fails(cast, word):
    with cast.acme.scope():
        Customer.objects.create(name=word)
    out = StringIO()
    with pytest.raises(CommandError) as refused:
        call_command("scan_for", word, stdout=out)

    assert refused.value.returncode == 1
    assert "conversations_customer: 1" in out.getvalue()
    assert word not in out.getvalue()
    assert call_command("scan_for", uuid4().hex, stdout=out) is None
    with pytest.raises(CommandError, match="too short"):
        call_command("scan_for", "abc", stdout=out)


def _where(report):
    assert report.blind == []
    return {store.name: store.hits for store in report.stores if store.hits}


def test_a_column_that_is_remembered_in_three_letters_blinds_nobody(cast, word):
    """What the planner remembers depends on when the server last looked."""
    with psycopg.connect(superuser_url(), autocommit=True) as superuser:
        superuser.execute("CREATE TABLE aaa_short AS SELECT 0 AS n FROM generate_series(1, 50)")
        superuser.execute("ANALYZE aaa_short")
        try:
            report = scan([word])
        finally:
            superuser.execute("DROP TABLE aaa_short")
    assert report.blind == []
