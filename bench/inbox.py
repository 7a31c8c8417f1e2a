"""The inbox at 100,000 conversations beside 1,000: every tab, sort and filter, and the badges.

    python -m bench.inbox [--quick]

A view is flat when its time does not grow with the tenant. For each the plan's index is named.
"""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from bench import cluster, harness, measure

cluster.enter()

from django.db import connection

from bench import inbox_seed, seeding
from bench.measure import Size, Table, timed
from conversations.selectors.inbox import Filters, counts, inbox
from tenants.models import Member
from tenants.scoping import tenant_scope

_SMALL, _LARGE, _QUICK_LARGE = 1_000, 100_000, 10_000
# What grows less than this between the two is called flat.
_FLAT = 2.0
_After = tuple[datetime, UUID]


@dataclass(frozen=True)
class View:
    """One list as a member asks for it."""

    name: str
    filters: Filters
    sort: str = "last_message"
    deep: bool = False


_VIEWS = (
    View("all, open or snoozed (default)", Filters(status="active")),
    View("the same, 20 pages down", Filters(status="active"), deep=True),
    View("mine", Filters(status="active", assignee="me")),
    View("unassigned", Filters(status="active", handler="team", assignee="none")),
    View("agent", Filters(status="active", handler="agent")),
    View("resolved", Filters(status="resolved")),
    View("every status", Filters()),
    View("sort: waiting", Filters(status="active"), sort="waiting"),
    View("sort: created", Filters(status="active"), sort="created"),
    View("sort: created, every status", Filters(), sort="created"),
    View("a common label (10 %)", Filters(status="active", label="common")),
    View("a rare label (20 conversations)", Filters(label="rare")),
    View("a stage", Filters(status="active", stage="Lead")),
    View("search, a word that is rare", Filters(status="active", q="needle")),
)


def run(size: Size) -> list[Table]:
    large = _QUICK_LARGE if size.quick else _LARGE
    members = {count: inbox_seed.tenant_of(count) for count in (_SMALL, large)}
    seeding.settle()
    heads = [f"{count:,}: ms median / p95" for count in members]
    table = Table("Inbox, a page of 50", ["view", *heads, "grows", "statements", "index (large)"])
    for view in _VIEWS:
        _add(table, view.name, members, size, _reader(view))
    _add(table, "badges", members, size, counts)
    table.notes.append(
        f"Called flat below {_FLAT:.0f}×. Under row-level security, as the desk's role."
    )
    return [table]


def _reader(view: View) -> Callable[[Member], object]:
    places: dict[UUID, _After] = {}

    def read(member: Member) -> object:
        if view.deep and member.id not in places:
            last = inbox(member, view.filters, sort=view.sort, limit=1_000)[-1]
            assert last.last_message_at is not None
            places[member.id] = last.last_message_at, last.id
        after = places.get(member.id)
        return inbox(member, view.filters, sort=view.sort, after=after, limit=50)

    return read


def _add(
    table: Table,
    name: str,
    members: dict[int, Member],
    size: Size,
    read: Callable[[Member], object],
) -> None:
    measure.progress(f"inbox: {name}")
    times: dict[int, list[float]] = {count: [] for count in members}
    for member in members.values():
        _once(member, read)
    for _ in range(size.rounds * 2):
        for count, member in members.items():
            times[count].append(_once(member, read) * 1e3)
    small, large = (statistics.median(found) for found in times.values())
    cells = [
        f"{statistics.median(t):.2f} / {measure.percentile(t, 95):.2f}" for t in times.values()
    ]
    sent, plan = _explained(list(members.values())[-1], read)
    grows = f"{large / small:.1f}×" + ("" if large / small < _FLAT else " **not flat**")
    table.add(name, *cells, grows, sent, plan)


def _once(member: Member, read: Callable[[Member], object]) -> float:
    """Seconds within the scope: the scope itself is the request's."""
    with tenant_scope(member.tenant.id):
        return timed(lambda: read(member))


def _explained(member: Member, read: Callable[[Member], object]) -> tuple[int, str]:
    """How many statements were sent, and by which indexes the conversations were found."""
    sent: list[tuple[str, Any]] = []

    def keep(execute: Callable[..., Any], sql: str, params: Any, *rest: Any) -> Any:
        sent.append((sql, params))
        return execute(sql, params, *rest)

    with tenant_scope(member.tenant.id):
        read(member)
        with connection.execute_wrapper(keep):
            read(member)
        sql, params = sent[-1]
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", params)
            plan = cursor.fetchone()[0]
    return len(sent), ", ".join(dict.fromkeys(_paths(plan[0]["Plan"])))


def _paths(node: dict[str, Any]) -> list[str]:
    found = []
    if node.get("Relation Name", "").startswith("conversations_conversation"):
        removed = node.get("Rows Removed by Filter", 0)
        place = node.get("Index Name") or f"{node['Node Type']} on {node['Relation Name']}"
        found.append(f"{place} ({removed:,} rows filtered out)" if removed else place)
    elif "Index Name" in node and node["Node Type"] == "Bitmap Index Scan":
        found.append(node["Index Name"])
    if node["Node Type"] == "Sort":
        found.append("a sort")
    for child in node.get("Plans", []):
        found += _paths(child)
    return found


if __name__ == "__main__":
    harness.main(__doc__, run)
