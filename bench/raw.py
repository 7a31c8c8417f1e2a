"""The limit: a turn in plain psycopg. SELECT the last 40, INSERT 2, COMMIT."""

from collections.abc import Sequence
from itertools import cycle

import psycopg

from bench.measure import Watch, timed

WINDOW = 40
BODY = " ".join(["We looked it up, and your order is on its way to you."] * 8)[:400]

# 400 characters, no two alike, as people write: compression finds little to gain.
WORDS = "substr(repeat(md5(random()::text) || ' ', 13), 1, 400)"

_PLAIN = """
CREATE TABLE IF NOT EXISTS bench_line (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, talk bigint NOT NULL, seq bigint NOT NULL,
  role text NOT NULL, body text NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (talk, seq)
);
GRANT SELECT, INSERT ON bench_line TO desk_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO desk_app
"""

_SEED = f"""
INSERT INTO bench_line (talk, seq, role, body)
SELECT talk, seq, 'user', {WORDS} FROM generate_series(%s::bigint, %s) talk,
  generate_series(1, %s) seq
"""

_SELECT = """
SELECT id, seq, role, body, created_at FROM bench_line WHERE talk = %s ORDER BY seq DESC LIMIT 40
"""
_INSERT = """
INSERT INTO bench_line (talk, seq, role, body)
VALUES (%s, %s, 'user', %s), (%s, %s, 'assistant', %s)
"""


class Raw:
    """The reference: a narrow table of its own, no tenants, no walls, one key."""

    def __init__(self, url: str, talks: Sequence[int]) -> None:
        self._talks = cycle(talks)
        self._connection = psycopg.connect(url)

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


def talks(connection: psycopg.Connection, length: int, count: int) -> list[int]:
    """New talks with so many lines each; `connection` is the superuser's, in autocommit."""
    connection.execute(_PLAIN)
    row = connection.execute("SELECT coalesce(max(talk), 0) FROM bench_line").fetchone()
    first = row[0] + 1 if row else 1
    connection.execute(_SEED, [first, first + count - 1, length])
    return list(range(first, first + count))
