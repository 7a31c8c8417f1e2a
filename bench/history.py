"""A turn's history (load 40, append 2) beside raw psycopg, at 10 to 10,000 messages.

    python -m bench.history [--quick]

Prints the time of each step, what each of the desk's own rows adds, write-ahead log and statements.
"""

import statistics
from collections.abc import Callable
from typing import Any, Protocol
from uuid import UUID

from bench import cluster, harness, measure

cluster.enter()

from django.db import connection

from bench import seeding
from bench.desk_turns import STEPS, ProviderTurns, SqlTurns, insert_only
from bench.harness import WalWatch
from bench.measure import LENGTHS, Block, Reading, Size, Table, Watch
from bench.raw import Raw
from bench.raw_desk import RawDesk
from tenants.models import Tenant

# Enough talks that a short one stays short while the contestants take turns.
_TALKS = {10: 800, 100: 300, 1_000: 80, 10_000: 20}
# And never so few that all their new lines lie among each other's, page by page.
_FEWEST = 20
_QUICK_TALKS = {10: 60, 100: 40, 1_000: 6, 10_000: 5}
_RAW_DESK = "raw on the desk's tables, walls up"
_SQL = "our SQL: list fields, seq, two scopes"
_PROVIDER, _WHOLE = next(iter(STEPS)), list(STEPS)[-1]


def run(size: Size) -> list[Table]:
    tenant = seeding.tenant("history")
    counts = _QUICK_TALKS if size.quick else _TALKS
    pools = {length: _Pool(tenant, length, counts[length]) for length in LENGTHS}
    seeding.settle()
    readings: dict[int, list[Reading]] = {}
    for length, pool in pools.items():
        what = f"history, {length:,} messages"
        readings[length] = measure.interleave(pool.raw.block, pool.blocks, size, what=what)
    return [_times(readings), _flatness(readings), _written(pools, size)]


class _Contestant(Protocol):
    def block(self, count: int, /) -> list[float]: ...
    def watched(self, watch: Watch) -> None: ...


class _Pool:
    """The talks of one length, and the contestants on them."""

    def __init__(self, tenant: Tenant, length: int, count: int) -> None:
        self.tenant = tenant
        self.mine = seeding.talks(tenant, length=length, count=count)
        # At least as many as a block has turns: with one talk each turn would stand in a block of
        # its own, behind a clean-up that the reference does not have.
        self.apart = seeding.talks(
            tenant, length=length, count=max(count // 4, min(count, _FEWEST))
        )
        self.plain = seeding.plain(length, count)
        self.raw = Raw(cluster.app_url(), self.plain)
        self.contestants = self._contestants(self.mine, self.apart)

    def _contestants(self, mine: list[UUID], apart: list[UUID]) -> dict[str, _Contestant]:
        """Who leaves the talk's own row alone has talks apart: its numbers are nobody else's."""
        tenant_id = self.tenant.id
        steps = {
            name: ProviderTurns(tenant_id, apart if commit is insert_only else mine, commit)
            for name, commit in STEPS.items()
        }
        return {
            _RAW_DESK: RawDesk(tenant_id, apart),
            _SQL: SqlTurns(tenant_id, mine),
            **steps,
        }

    @property
    def blocks(self) -> dict[str, Block]:
        return {name: one.block for name, one in self.contestants.items()}

    @property
    def on_one_talk(self) -> dict[str, _Contestant]:
        """For counting bytes: a page's first change after a checkpoint is written as a whole."""
        raw: dict[str, _Contestant] = {measure.REFERENCE: Raw(cluster.app_url(), self.plain[:1])}
        return {**raw, **self._contestants(self.mine[:1], self.apart[:1])}


def _times(readings: dict[int, list[Reading]]) -> Table:
    heads = [f"{length:,}: ms median / p95 (ratio)" for length in readings]
    table = Table("History turn", ["step", *heads, "adds at 100"])
    last = 0.0
    for place, found in enumerate(zip(*readings.values(), strict=True)):
        at_100 = found[1]
        adds = "" if place == 0 else f"{at_100.ratio - last:+.2f}×"
        cells = [f"{one.median:.2f} / {one.p95:.2f} ({one.ratio:.2f}×)" for one in found]
        table.add(found[0].name, *cells, adds)
        last = at_100.ratio
    table.notes.append("`raw` is the reference: psycopg, SELECT 40, INSERT 2, COMMIT, own table.")
    return table


def _flatness(readings: dict[int, list[Reading]]) -> Table:
    table = Table("Flatness", ["step", "10,000 beside 100, as ratios to raw", "goal"])
    for name in (_PROVIDER, _WHOLE):
        ratio = {n: next(r.ratio for r in found if r.name == name) for n, found in readings.items()}
        table.add(name, f"{ratio[10_000] / ratio[100]:.2f}", "≤ 1.15")
    return table


def _written(pools: dict[int, _Pool], size: Size) -> Table:
    table = Table(
        "Write-ahead log and statements of a turn",
        ["step", *(f"WAL at {length:,}" for length in pools), "statements", "which"],
    )
    few = [pool.on_one_talk for pool in pools.values()]
    for name in few[0]:
        ones = [found[name] for found in few]
        wal = [f"{_wal(one, 5 if size.quick else 25) / 1024:.2f} KiB" for one in ones]
        sent = [_statements(one) for one in ones]
        same = all(found == sent[0] for found in sent)
        table.add(name, *wal, len(sent[0]) if same else "differs!", ", ".join(sent[0]))
    table.notes.append("BEGIN and COMMIT are not counted; psycopg's own connections count as 0.")
    return table


def _wal(one: _Contestant, times: int) -> float:
    watch = WalWatch()
    for _ in range(times + 3):
        one.watched(watch)
    return statistics.median(watch.taken[3:])


def _statements(one: _Contestant) -> list[str]:
    sent: list[str] = []
    one.watched(_captured(sent))
    return sent


def _captured(sent: list[str]) -> Watch:
    def keep(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        sent.append(_short(sql))
        return execute(sql, *rest)

    return connection.execute_wrapper(keep)


def _short(sql: str) -> str:
    """Verb and table: enough to tell the statements of a turn apart."""
    if "set_config" in sql:
        return "set tenant"
    words = sql.replace('"', "").split()
    places = (n for n, word in enumerate(words) if word in {"INTO", "FROM", "UPDATE"})
    place = next(places, None)
    return f"{words[0]} {words[place + 1]}" if place is not None else words[0]


if __name__ == "__main__":
    harness.main(__doc__, run)
