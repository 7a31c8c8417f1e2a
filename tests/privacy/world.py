"""The database as it is, row by row: for what must be gone, and for what must have stayed."""

from pathlib import Path

import psycopg
from django.conf import settings
from psycopg import sql

from conversations.models import Conversation, Customer
from conversations.privacy.needles import Needles, needles
from tests.support.cast import Company
from tests.support.console import say, start

# Rows that any request or any job may add or touch.
_MOVES = {"tenants_auditentry", "tenants_auditlink", "tenants_duework", "django_session",
          "tenants_apikey", "tenants_audithead", "tenants_audittip"}  # fmt: skip


def rows() -> dict[str, set[str]]:
    """Every row of every table as text, read past row security."""
    with psycopg.connect(settings.BACKUP_DATABASE_URL) as backup:
        names = backup.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        ).fetchall()
        return {
            name: {
                row
                for (row,) in backup.execute(
                    sql.SQL("SELECT t::text FROM {} t").format(sql.Identifier(name))
                )
            }
            for (name,) in names
        }


def rows_without(words: list[str]) -> dict[str, set[str]]:
    """Those that hold none of these words, of tables that nothing but a person's act changes."""
    words = [*words, *(raw.hex() for raw in needles(words).raw)]
    return {
        name: {row for row in found if not any(word in row for word in words)}
        for name, found in rows().items()
        if name not in _MOVES
    }


def unfound(words: list[str]) -> list[str]:
    """Those that stand in no row and in no letter: they were never planted, or are gone."""
    texts = [row for found in rows().values() for row in found]
    folder = Path(settings.EMAIL_FILE_PATH)
    texts += [path.read_text() for path in folder.iterdir()] if folder.exists() else []
    return [word for word in words if not any(_holds(text, needles([word])) for text in texts)]


def _holds(text: str, word: Needles) -> bool:
    """Bytes are printed in hexadecimal digits."""
    return word.are_in(text) or any(raw.hex() in text for raw in word.raw)


def changed(before: dict[str, set[str]], after: dict[str, set[str]]) -> dict[str, set[str]]:
    """Rows that were there and are not any more."""
    return {name: rows - after[name] for name, rows in before.items() if rows - after[name]}


def neighbours(company: Company, count: int = 40) -> list[Conversation]:
    """Other customers with talks, names and addresses much like the subject's."""
    talks = []
    with company.scope():
        for number in range(count):
            customer = Customer.objects.create(
                name=f"Neighbour {number}",
                email=f"neighbour{number}@example.org",
                attributes={"phone": f"+49 30 5550{number:03d}"},
            )
            talk = start(customer, f"Where is order {number}, please? I have waited for weeks.")
            for line in range(4):
                say(talk, f"Line {line} of neighbour {number}")
            talks.append(talk)
    return talks
