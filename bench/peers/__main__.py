"""The peers beside ours, on one cluster, each against the same raw turn.

    python -m bench.peers [--quick]

Makes a virtual environment of the peers' own under var/bench-peers at the first call; it needs a
package index for that. Nothing of it enters the project's locks.
"""

import json
import subprocess
import sys
import venv
from hashlib import sha256
from pathlib import Path

import psycopg

from bench import cluster, harness, measure

cluster.enter()

from bench import raw, seeding
from bench.desk_turns import STEPS, ProviderTurns
from bench.measure import LENGTHS, Size, Table
from devstack import ROOT, testdb

REQUIREMENTS = Path(__file__).with_name("requirements.txt")
HOME = ROOT / "var" / "bench-peers"
DATABASE = "bench_peers"


def run(size):
    python = environment()
    with psycopg.connect(cluster.superuser_url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {DATABASE}")
    lengths = LENGTHS[:2] if size.quick else LENGTHS
    rows = [*theirs(python, size), *ours(lengths, size)]
    cells = {(row["peer"], row["length"]): row for row in rows}
    heads = [f"{length:,}: ms / p95 (ratio), WAL" for length in lengths]
    table = Table("Peers: load the history, append 2 messages", ["contestant", *heads])
    for name in dict.fromkeys(row["peer"] for row in rows):
        table.add(name, *(_cell(cells.get((name, length))) for length in lengths))
    table.notes.append("Each between two blocks of the raw turn: ratios compare, not milliseconds.")
    return [table]


def _cell(row):
    if row is None:
        return "–"
    wal = row["wal"] / 1024
    written = f"{wal / 1024:.1f} MiB" if wal > 1024 else f"{wal:.1f} KiB"
    return f"{row['ms']:.2f} / {row['p95']:.2f} ({row['ratio']:.1f}×), {written}"


def environment():
    """The Python of the peers' environment, made anew when the versions change."""
    wanted, marker = sha256(REQUIREMENTS.read_bytes()).hexdigest(), HOME / "made-from"
    python = HOME / "bin" / "python"
    if not (marker.exists() and marker.read_text() == wanted):
        measure.progress("making var/bench-peers")
        venv.create(HOME, with_pip=True, clear=True)
        install = [python, "-m", "pip", "install", "--quiet", "-r", REQUIREMENTS]
        subprocess.run(install, check=True, stdout=sys.stderr, stderr=subprocess.DEVNULL)
        marker.write_text(wanted)
    return python


def theirs(python, size):
    url = testdb.on_database(cluster.superuser_url(), DATABASE)
    # -P: the folder must not stand before the packages, see run.py.
    command = [python, "-P", Path(__file__).with_name("run.py"), url]
    options = ["--quick"] if size.quick else []
    with subprocess.Popen(
        [*command, *options], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as child:
        yield from (json.loads(line) for line in child.stdout)
    if child.returncode:
        raise SystemExit("A peer failed; see above.")


def ours(lengths, size):
    tenant = seeding.tenant("peers")
    steps = list(STEPS.values())
    for length in lengths:
        count = {10: 200, 100: 60, 1_000: 20}.get(length, 3)
        plain = seeding.plain(length, count)
        mine = seeding.talks(tenant, length=length, count=count)
        seeding.settle()
        turns = {
            "Turnstone, history alone": ProviderTurns(tenant.id, mine, steps[0]),
            "Turnstone, the whole commit": ProviderTurns(tenant.id, mine, steps[-1]),
        }
        blocks = {name: one.block for name, one in turns.items()}
        reference = raw.Raw(cluster.app_url(), plain).block
        pace = Size(size.quick, rounds=20, turns=4)
        found = measure.interleave(reference, blocks, pace, what=f"ours, {length:,} messages")
        yield from (_row(reading, length, turns[reading.name]) for reading in found[1:])


def _row(reading, length, turns):
    watch = harness.WalWatch()
    for _ in range(5):
        turns.watched(watch)
    row = {"peer": reading.name, "length": length, "ms": reading.median, "p95": reading.p95}
    return row | {"ratio": reading.ratio, "wal": min(watch.taken)}


if __name__ == "__main__":
    harness.main(__doc__, run)
