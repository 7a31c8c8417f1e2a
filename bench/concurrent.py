"""Sixteen conversations at once, four processes with a connection each: turns a second beside raw.

python -m bench.concurrent [--quick]
"""

import multiprocessing
import statistics
import time
from collections.abc import Callable, Sequence
from typing import TypeVar
from uuid import UUID

from bench import cluster, harness, measure

cluster.enter()

from django.db import connection

from bench import seeding
from bench.desk_turns import STEPS, Commit, ProviderTurns, SqlTurns
from bench.measure import Block, Size, Table
from bench.raw import Raw
from tenants.models import Tenant

_PROCESSES, _TALKS, _LENGTH = 4, 16, 100
_GOALS = {"our SQL": "≥ 0.7 (2,000 a second)", "through the provider": "≥ 0.32 (900 a second)"}
# Prepares so many turns of one process, and returns what runs them.
_Ready = Callable[[int], Callable[[], object]]
_Maker = Callable[[int], _Ready]
_Item = TypeVar("_Item")
_STEPS = {"through the provider": next(iter(STEPS)), "the whole commit": list(STEPS)[-1]}


def run(size: Size) -> list[Table]:
    tenant = seeding.tenant("crowd")
    turns = 12 if size.quick else 60
    makers = _makers(tenant, turns)
    rates: dict[str, list[float]] = {name: [] for name in makers}
    crowds = {name: _Crowd(maker) for name, maker in makers.items()}
    for number in range(2 if size.quick else 7):
        measure.progress(f"concurrent: round {number + 1}")
        for name, crowd in crowds.items():
            rates[name].append(crowd.rate(turns))
    for crowd in crowds.values():
        crowd.end()
    return [_table(rates)]


def _makers(tenant: Tenant, turns: int) -> dict[str, _Maker]:
    """For each contestant: its turns on the share of one process."""
    plain = seeding.plain(_LENGTH, _TALKS)
    sql = seeding.talks(tenant, length=_LENGTH, count=_TALKS)
    # A talk has one running turn, so a round needs a talk for each.
    many = {
        name: seeding.talks(tenant, length=_LENGTH, count=_PROCESSES * turns) for name in _STEPS
    }

    def provider(name: str) -> _Maker:
        return lambda n: _provider(tenant.id, _part(many[name], n), STEPS[_STEPS[name]])

    return {
        measure.REFERENCE: lambda n: _at_once(Raw(cluster.app_url(), _part(plain, n)).block),
        "our SQL": lambda n: _at_once(SqlTurns(tenant.id, _part(sql, n)).block),
    } | {name: provider(name) for name in _STEPS}


def _at_once(block: Block) -> _Ready:
    return lambda count: lambda: block(count)


def _provider(tenant_id: UUID, talks: Sequence[UUID], commit: Commit) -> _Ready:
    """The turns of the round before are ended while the next ones are prepared."""
    contestant = ProviderTurns(tenant_id, talks, commit)

    def ready(count: int) -> Callable[[], object]:
        contestant.end_all()
        return contestant.ready(count)

    return ready


def _part(items: Sequence[_Item], number: int) -> Sequence[_Item]:
    share = len(items) // _PROCESSES
    return items[number * share : (number + 1) * share]


def _table(rates: dict[str, list[float]]) -> Table:
    table = Table(
        f"{_TALKS} conversations at once, {_PROCESSES} processes",
        ["contestant", "turns a second", "beside raw", "goal"],
    )
    floor = rates[measure.REFERENCE]
    for name, found in rates.items():
        beside = statistics.median(one / raw for one, raw in zip(found, floor, strict=True))
        table.add(name, f"{statistics.median(found):,.0f}", f"{beside:.2f}", _GOALS.get(name, ""))
    table.notes.append(
        "Clients and PostgreSQL share the cores; a worker's children are processes too."
    )
    return table


_fork = multiprocessing.get_context("fork")


class _Crowd:
    """Processes that stay, each with its connection; all begin a round together."""

    def __init__(self, maker: _Maker) -> None:
        self._gate = _fork.Barrier(_PROCESSES + 1)
        self._turns = _fork.Value("i", 0)
        connection.close()  # no child may inherit it
        self._children = [
            _fork.Process(target=self._work, args=(maker, number), daemon=True)
            for number in range(_PROCESSES)
        ]
        for child in self._children:
            child.start()
        self.rate(6)  # connections and plans

    def rate(self, turns: int) -> float:
        """Turns a second of all processes together, preparations left out."""
        self._turns.value = turns
        self._wait()
        self._wait()
        started = time.perf_counter()
        self._wait()
        return _PROCESSES * turns / (time.perf_counter() - started)

    def end(self) -> None:
        self._turns.value = 0
        self._wait()
        for child in self._children:
            child.join()

    def _work(self, maker: _Maker, number: int) -> None:
        ready = maker(number)
        while True:
            self._wait()
            if not self._turns.value:
                break
            act = ready(self._turns.value)
            self._wait()
            act()
            self._wait()
        connection.close()

    def _wait(self) -> None:
        self._gate.wait(120)  # a child that failed breaks it for all


if __name__ == "__main__":
    harness.main(__doc__, run)
