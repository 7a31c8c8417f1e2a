"""The limit on the desk's own tables: raw psycopg with their keys, foreign key and walls."""

from collections.abc import Sequence
from itertools import cycle
from uuid import UUID

import psycopg

from bench import cluster
from bench.measure import Watch, timed
from bench.raw import BODY
from tenants.scoping import new_id

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
