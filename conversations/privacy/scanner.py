"""The canary scanner: is anything of a person left, in any store that the desk writes to?

It proves by looking, not by trusting what deleted. Each store first finds something that is known
to be there, by the same search: a scanner that reads nothing would call everything clean.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

from django.conf import settings
from django.db import connection

from conversations.privacy import contents, database, files, keys
from conversations.privacy.needles import needles
from conversations.privacy.report import Report
from conversations.privacy.tables import Theirs


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to look for, by how far it proves anything.

    `words` must be nowhere. `ids` are our own numbers: nowhere but in the planner's statistics,
    which name rows that are gone until the next ANALYZE. `own` must not be in rows of `tenant` and
    in what belongs to no tenant. `shared` are words that somebody of another tenant has as well, by
    their own right: in rows of `tenant` only.
    """

    words: Sequence[str] = ()
    ids: Sequence[str] = ()
    own: Sequence[str] = ()
    shared: Sequence[str] = ()
    tenant: UUID | None = None


def scan(words: Sequence[str]) -> Report:
    """Looks for these words everywhere."""
    return scan_for(Wanted(words))


def scan_for(wanted: Wanted) -> Report:
    """Counts and names of stores come back, nothing of what was found."""
    everywhere = needles([*wanted.words, *wanted.ids])
    loose = needles([*wanted.words, *wanted.ids, *wanted.own])
    theirs = Theirs(wanted.tenant, needles([*wanted.own, *wanted.shared]), loose)
    with _planted_object() as control, database.connect() as backup:
        stores = [
            database.tables(backup, everywhere, theirs),
            contents.contents(backup, everywhere, theirs),
            database.statistics(backup, needles([*wanted.words, *wanted.own])),
            database.large_objects(backup, loose, [control]),
        ]
    stores += keys.redis_servers(loose)
    stores += [files.folder(name, root, loose) for name, root in folders().items()]
    return Report(stores)


def folders() -> dict[str, Path | None]:
    """The folders that the desk writes files to, by the name of the store."""
    data = Path(settings.DATA_FOLDER) if settings.DATA_FOLDER else None
    spool = Path(settings.EMAIL_FILE_PATH) if settings.EMAIL_FILE_PATH else None
    inside = data and spool and spool.is_relative_to(data)
    return {"files": data} if inside or spool is None else {"files": data, "queued mail": spool}


@contextmanager
def _planted_object() -> Iterator[str]:
    """A large object with a word in it, for the time of a scan."""
    word = f"scan-control-{uuid4().hex}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT lo_from_bytea(0, %s)", [word.encode()])
        number = cursor.fetchone()[0]
    try:
        yield word
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT lo_unlink(%s)", [number])
