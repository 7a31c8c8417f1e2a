"""Runs in the peers' own environment: each peer between two blocks of the same raw reference.

    var/bench-peers/bin/python -P bench/peers/run.py DATABASE_URL [--quick]

Prints one JSON object a cell. A turn loads the history for the model and appends 2 messages of 400
characters, as each library means it to be done.
"""

import argparse
import json
import os
import sys
from pathlib import Path

import psycopg

# Behind the packages: one of them is named like an app of ours.
sys.path.append(str(Path(__file__).parents[2]))

from bench import measure, raw
from bench.measure import LENGTHS, Size
from bench.peers import contestants

# Enough talks that a short one stays short; whole-history peers need the long ones only once.
TALKS = {10: 40, 100: 10, 1_000: 2, 10_000: 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="a part of a peer's name")
    options = parser.parse_args()
    os.environ.setdefault("OPENAI_AGENTS_DISABLE_TRACING", "1")
    for length in LENGTHS[:2] if options.quick else LENGTHS:
        for made in contestants.ALL:
            if options.only in made.name:
                cell(made, options.url, length, quick=options.quick)


def cell(made, url, length, *, quick):
    with psycopg.connect(url, autocommit=True) as connection:
        talks = raw.talks(connection, length, TALKS[length])
    peer = made(url)
    peer.seed(length, TALKS[length])
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    blocks, size = {made.name: peer.block}, sized(length, quick=quick)
    reference, what = raw.Raw(url, talks).block, f"{made.name}, {length:,} messages"
    _, found = measure.interleave(reference, blocks, size, what=what)
    row = {"peer": made.name, "length": length, "ms": found.median, "p95": found.p95}
    print(json.dumps(row | {"ratio": found.ratio, "wal": wal(url, peer)}), flush=True)
    peer.close()


def sized(length, *, quick):
    if quick:
        return Size(quick, rounds=3, turns=2)
    return Size(quick, rounds=4, turns=2) if length >= 10_000 else Size(quick, rounds=15, turns=4)


def wal(url, peer):
    """Bytes of write-ahead log of one turn; the least of three, without a checkpoint's pages."""
    with psycopg.connect(url, autocommit=True) as connection:
        grown = []
        for _ in range(3):
            before = position(connection)
            peer.block(1)
            grown.append(position(connection) - before)
    return min(grown)


def position(connection):
    asked = connection.execute("SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint")
    return asked.fetchone()[0]


if __name__ == "__main__":
    main()
