"""The limit: a turn in plain psycopg. SELECT the last 40, INSERT 2, COMMIT."""

from collections.abc import Sequence
from itertools import cycle
from uuid import UUID

import psycopg

from bench import cluster
from bench.harness import Watch, timed
from tenants.scoping import new_id

WINDOW = 40
BODY = " ".join(["We looked it up, and your order is on its way to you."] * 8)[:400]

_SELECT = """
SELECT id, seq, role, body, created_at FROM bench_line WHERE talk = %s ORDER BY seq DESC LIMIT 40
"""
_INSERT = """
INSERT INTO bench_line (talk, seq, role, body)
VALUES (%s, %s, 'user', %s), (%s, %s, 'assistant', %s)
"""


class Raw:
    """The reference: a narrow table of its own, no tenants, no walls, one key."""

    def __init__(self, talks: Sequence[int]) -> None:
        self._talks = cycle(talks)
        self._connection = psycopg.connect(cluster.app_url())

    def block(self, turns: int) -> list[float]:
        return [timed(self.turn) for _ in range(turns)]

    def watched(self, watch: Watch) -> None:
        with watch:
            self.turn()

    def turn(self) -> None:
        talk, connection = next(self._talks), self._connection
        rows = connection.execute(_SELECT, [talk]).fetchall()
        seq = rows[0][1]
        connection.execute(_INSERT, [talk, seq + 1, BODY, talk, seq + 2, BODY])
        connection.commit()


_DESK_SELECT = """
SELECT id, seq, role, author_name, text, parts, turn_id, saw_seq, created_at
FROM conversations_message WHERE tenant_id = %s AND conversation_id = %s ORDER BY seq DESC LIMIT 40
"""
_DESK_INSERT = """
INSERT INTO conversations_message (id, tenant_id, conversation_id, seq, role, author_name, text)
VALUES (%s, %s, %s, %s, 'agent', '', %s), (%s, %s, %s, %s, 'agent', '', %s)
"""


class RawDesk:
    """The same turn on the desk's own tables: its keys, its foreign key, and its walls."""

    def __init__(self, tenant_id: UUID, talks: Sequence[UUID]) -> None:
        self._tenant, self._talks = tenant_id, cycle(talks)
        self._connection = psycopg.connect(cluster.app_url())

    def block(self, turns: int) -> list[float]:
        return [timed(self.turn) for _ in range(turns)]

    def watched(self, watch: Watch) -> None:
        with watch:
            self.turn()

    def turn(self) -> None:
        talk, tenant, connection = next(self._talks), self._tenant, self._connection
        connection.execute("SELECT set_config('app.tenant_id', %s, true)", [str(tenant)])
        seq = connection.execute(_DESK_SELECT, [tenant, talk]).fetchall()[0][1]
        first = [new_id(), tenant, talk, seq + 1, BODY]
        connection.execute(_DESK_INSERT, [*first, new_id(), tenant, talk, seq + 2, BODY])
        connection.commit()
