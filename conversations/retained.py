"""Which tables a retention policy of each kind ends. Every app names its own in its `stores.py`."""

from dataclasses import dataclass, replace

from django.db.models import Model

from conversations.models import Conversation, Customer, Kind

# When something was last used. A talk: at its last message, or when it was resolved after that.
_TALK_SINCE = "COALESCE(GREATEST(c.last_message_at, c.resolved_at), c.created_at)"


@dataclass(frozen=True, slots=True)
class Retained:
    """One table of expiring rows, in SQL: `r` is its row and `c` the conversation of the row.

    People and logs are no part of a conversation: without `join` there is no `c`. Logs know no end
    of their own (`marked`): nobody reads them, so they are not hidden, and go by their age.
    """

    kind: Kind
    table: str
    store: str
    since: str = "r.created_at"
    join: str = "c.id = r.conversation_id"
    of_talks: str = "r.conversation_id = ANY(%(talks)s)"
    # Assignments that take the subject off the row instead of deleting it.
    change: str = ""
    # What goes along with a row, in number, and what it is called in a preview.
    lines: str = "0"
    lines_name: str = ""
    # What must be so beside its age, and a moment before which it does not end.
    ready: str = "true"
    floor: str = "NULL::timestamptz"
    held: str = "under_legal_hold(c.tenant_id, c.id)"
    # What a log's row belongs to, as `s`: locked, so that a hold on it and the purge meet.
    beside: str = ""
    marked: bool = True
    # What has changed when somebody used the row since it was looked at.
    version: str = ""

    @property
    def is_talk(self) -> bool:
        return self.kind == Kind.MESSAGES

    @property
    def is_person(self) -> bool:
        return self.kind == Kind.CUSTOMERS

    @property
    def source(self) -> str:
        """What its rows are read from."""
        talks = "conversations_conversation c ON c.tenant_id = r.tenant_id"
        if self.join:
            return f"{self.table} r JOIN {talks} AND {self.join}"
        return f"{self.table} r {self.beside}"


TALKS = Retained(
    Kind.MESSAGES,
    Conversation._meta.db_table,
    "conversations",
    since=_TALK_SINCE,
    join="c.id = r.id",
    of_talks="r.id = ANY(%(talks)s)",
    lines="c.last_seq",
    lines_name="lines of conversations",
    version="last_seq",
)

# Idle people go when all their conversations have ended, and not while something is asked for
# them, is being copied, or can still be undone. Who was merged into another goes with that one.
PEOPLE = Retained(
    Kind.CUSTOMERS,
    Customer._meta.db_table,
    "customers",
    # Of older rows only their sessions say when they were here.
    since="""GREATEST(r.created_at, COALESCE(r.last_seen_at, (
  SELECT max(x.created_at) FROM conversations_widgettoken x
  WHERE x.tenant_id = r.tenant_id AND x.customer_id = r.id)))""",
    join="",
    of_talks="""r.id IN (SELECT x.customer_id FROM conversations_conversation x
  WHERE x.tenant_id = r.tenant_id AND x.id = ANY(%(talks)s))""",
    lines="""((SELECT count(*) FROM conversations_widgettoken x
    WHERE x.tenant_id = r.tenant_id AND x.customer_id = r.id)
  + (SELECT count(*) FROM conversations_customeridentity x
    WHERE x.tenant_id = r.tenant_id AND x.customer_id = r.id))""",
    lines_name="sessions and identities",
    ready="""r.merged_into_id IS NULL AND r.erased_at IS NULL
  AND NOT EXISTS (SELECT FROM conversations_conversation x
    WHERE x.tenant_id = r.tenant_id AND x.customer_id = r.id AND x.expires_at IS NULL)
  AND NOT EXISTS (SELECT FROM conversations_erasurerequest x
    WHERE x.tenant_id = r.tenant_id AND x.subject_id = r.id)
  AND NOT EXISTS (SELECT FROM conversations_exportrequest x
    WHERE x.tenant_id = r.tenant_id AND x.customer_id = r.id
      AND x.state IN ('queued', 'building', 'ready'))
  AND NOT EXISTS (SELECT FROM conversations_customermerge x
    WHERE x.tenant_id = r.tenant_id AND r.id IN (x.source_id, x.target_id)
      AND x.undone_at IS NULL AND x.undo_until > now())""",
    floor="""(SELECT max(x.expires_at) FROM conversations_conversation x
  WHERE x.tenant_id = r.tenant_id AND x.customer_id = r.id)""",
    held="legal_hold_on(r.tenant_id, 'customer', r.id)",
    version="last_seen_at",
)

_tables: list[Retained] = []


def retain(kind: Kind, model: type[Model], *, store: str, **how: str) -> None:
    """Rows of this table end by the policies of `kind`, counted from when they were written."""
    _tables.append(Retained(kind, model._meta.db_table, store, **how))  # type: ignore[arg-type]


def retain_log(
    model: type[Model], *, store: str, since: str, beside: str = "", held: str = "false", **how: str
) -> None:
    """What the desk noted by the way, in rows that nothing needs any more: since then."""
    log = Retained(Kind.LOGS, model._meta.db_table, store, since, "", **how)  # type: ignore[arg-type]
    _tables.append(replace(log, beside=beside, held=held, marked=False))


def retained(kind: Kind | str | None = None) -> list[Retained]:
    """The tables of a kind, or all; talks first, and people, who end after their talks, last."""
    return [table for table in (TALKS, *_tables, PEOPLE) if kind in (None, table.kind)]
