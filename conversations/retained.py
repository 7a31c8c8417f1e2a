"""Which tables a retention policy of each kind ends. Every app names its own in its `stores.py`."""

from dataclasses import dataclass

from django.db.models import Model

from conversations.models import Conversation, Kind

# When something was last used. A talk: at its last message, or when it was resolved after that.
_TALK_SINCE = "COALESCE(GREATEST(c.last_message_at, c.resolved_at), c.created_at)"


@dataclass(frozen=True, slots=True)
class Retained:
    """One table of expiring rows, in SQL: `r` is its row and `c` the conversation of the row."""

    kind: Kind
    table: str
    store: str
    since: str = "r.created_at"
    join: str = "c.id = r.conversation_id"
    of_talks: str = "r.conversation_id = ANY(%(talks)s)"
    # Assignments that take the subject off the row instead of deleting it.
    change: str = ""

    @property
    def is_talk(self) -> bool:
        return self.kind == Kind.MESSAGES


TALKS = Retained(
    Kind.MESSAGES,
    Conversation._meta.db_table,
    "conversations",
    since=_TALK_SINCE,
    join="c.id = r.id",
    of_talks="r.id = ANY(%(talks)s)",
)

_tables: list[Retained] = [TALKS]


def retain(
    kind: Kind,
    model: type[Model],
    *,
    store: str,
    join: str = "",
    of_talks: str = "",
    change: str = "",
) -> None:
    """Rows of this table end by the policies of `kind`, counted from when they were written."""
    usual = Retained(kind, "", "")
    _tables.append(
        Retained(
            kind,
            model._meta.db_table,
            store,
            join=join or usual.join,
            of_talks=of_talks or usual.of_talks,
            change=change,
        )
    )


def retained(kind: Kind | str | None = None) -> list[Retained]:
    """The tables of a kind, or all; talks first."""
    return [table for table in _tables if kind in (None, table.kind)]
