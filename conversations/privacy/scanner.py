"""The canary scanner: is anything of a person left, in any store that the desk writes to?

It proves by looking, not by trusting what deleted. Each store first finds something that is known
to be there, by the same search: a scanner that reads nothing would call everything clean.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID, uuid4

from django.conf import settings
from django.db import connection

from conversations.privacy import database, files, keys
from conversations.privacy.needles import Needles, needles
from conversations.privacy.report import Report

NOTHING = Needles((), ())


def scan(words: Sequence[str], *, own: Sequence[str] = (), tenant: UUID | None = None) -> Report:
    """Looks for `words` everywhere, and for `own` except in rows of other tenants than `tenant`.

    An address may be a twin's good right in another tenant; an id or a planted word never is.
    Counts and names of stores come back, nothing of what was found.
    """
    wanted, here = needles(words), needles(own) if own else NOTHING
    all_of = Needles(wanted.folded + here.folded, wanted.exact + here.exact)
    with _planted_object() as control, database.connect() as backup:
        stores = [
            database.tables(backup, wanted, own=here, tenant=tenant),
            database.statistics(backup, all_of),
            database.large_objects(backup, all_of, [control]),
        ]
    stores += keys.redis_servers(all_of)
    stores += [files.folder(name, root, all_of) for name, root in folders().items()]
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
